/* A plugin for QEMU 7 that counts the instructions of an ARM guest, and says for every second
 * `yield` how many ran since the one before. Debian ships no header for plugins: what it needs of
 * their interface, version 1, is declared here. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*translated)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*executed)(unsigned cpu, void *user);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t i);
void qemu_plugin_register_vcpu_insn_exec_inline(
    struct qemu_plugin_insn *insn, int operation, void *counter, uint64_t value);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *insn, executed callback, int registers, void *user);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;

enum { ADD_U64 = 0, NO_REGISTERS = 0, YIELD_LOW = 0x10, YIELD_HIGH = 0xBF };

static uint64_t count;
static uint64_t begun;
static int inside;

static void mark(unsigned cpu, void *user)
{
    (void)cpu;
    (void)user;
    if (inside) {
        fprintf(stderr, "%llu\n", (unsigned long long)(count - begun - 1u));
    }
    begun = count;
    inside = !inside;
}

static int is_mark(const struct qemu_plugin_insn *insn)
{
    const unsigned char *bytes = (const unsigned char *)qemu_plugin_insn_data(insn);
    return qemu_plugin_insn_size(insn) == 2u && bytes[0] == YIELD_LOW && bytes[1] == YIELD_HIGH;
}

static void block(plugin_id id, struct qemu_plugin_tb *tb)
{
    size_t n = qemu_plugin_tb_n_insns(tb);
    size_t i;
    (void)id;
    for (i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        qemu_plugin_register_vcpu_insn_exec_inline(insn, ADD_U64, &count, 1u);
        if (is_mark(insn)) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, NO_REGISTERS, NULL);
        }
    }
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, block);
    return 0;
}
