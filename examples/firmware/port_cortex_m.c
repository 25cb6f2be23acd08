/* Cortex-M under QEMU: vector table, reset, and semihosting for text and the exit code. */
#include "port.h"

#include <stddef.h>

extern uint32_t port_data_load[];
extern uint32_t port_data_begin[];
extern uint32_t port_data_end[];
extern uint32_t port_bss_begin[];

void reset_handler(void);

enum { SYS_WRITE0 = 0x04, SYS_EXIT_EXTENDED = 0x20, STOPPED_BY_APPLICATION = 0x20026 };

static void semihosting(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void port_puts(const char *text)
{
    semihosting(SYS_WRITE0, text);
}

static void port_exit(int code)
{
    uint32_t block[2];
    block[0] = STOPPED_BY_APPLICATION;
    block[1] = (uint32_t)code;
    semihosting(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}

static void fault_handler(void)
{
    port_puts("fault\n");
    port_exit(99);
}

/* The painting stops below this frame. */
static void paint(void)
{
    uint32_t *at = port_free_begin;
    uintptr_t here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    while ((uintptr_t)at + 64u < here) {
        *at++ = PORT_PAINT;
    }
}

void reset_handler(void)
{
    const uint32_t *from = port_data_load;
    uint32_t *to;
    for (to = port_data_begin; to < port_data_end; to++) {
        *to = *from++;
    }
    for (to = port_bss_begin; to < port_free_begin; to++) {
        *to = 0;
    }
#ifdef PORT_TRAP_UNALIGNED
    *(volatile uint32_t *)0xE000ED14u |= 8u; /* CCR.UNALIGN_TRP */
#endif
    paint();
    port_exit(firmware_main());
}

typedef void (*vector)(void);

__attribute__((section(".vectors"), used)) static const vector vectors[16] = {
    (vector)port_stack_top, reset_handler, fault_handler, fault_handler, fault_handler,
    fault_handler, fault_handler, NULL, NULL, NULL, NULL, fault_handler, fault_handler, NULL,
    fault_handler, fault_handler};
