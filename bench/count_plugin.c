/* A plugin for QEMU 7 that counts the instructions of a guest. Debian ships no header for plugins:
 * what it needs of their interface, version 1, is declared here. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*translated)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*at_exit)(plugin_id id, void *user);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation,
                                                void *counter, uint64_t value);
void qemu_plugin_register_atexit_cb(plugin_id id, at_exit callback, void *user);
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;

enum { ADD_U64 = 0 };

static uint64_t count;

static void block(plugin_id id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    size_t i;
    (void)id;
    for (i = 0; i < n; i++) {
        qemu_plugin_register_vcpu_insn_exec_inline(qemu_plugin_tb_get_insn(tb, i), ADD_U64, &count,
                                                   1u);
    }
}

static void end(plugin_id id, void *user)
{
    (void)id;
    (void)user;
    fprintf(stderr, "instructions %llu\n", (unsigned long long)count);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
