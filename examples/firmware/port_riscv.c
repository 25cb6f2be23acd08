/* QEMU's RISC-V virt machine: a 16550 UART for text, the test device for the exit code. */
#include "port.h"

void port_start(void);
void port_exit(int code);

void port_puts(const char *text)
{
    for (; *text != '\0'; text++) {
        *(volatile uint8_t *)0x10000000u = (uint8_t)*text;
    }
}

void port_exit(int code)
{
    uint32_t const failed = ((uint32_t)code << 16) | 0x3333u;
    *(volatile uint32_t *)0x100000u = code != 0 ? failed : 0x5555u;
    for (;;) {
    }
}

/* The painting stops below this frame. */
static void paint(void)
{
    uint32_t *at = port_free_begin;
    uintptr_t here;
    __asm__ volatile("mv %0, sp" : "=r"(here));
    while ((uintptr_t)at + 64u < here) {
        *at++ = PORT_PAINT;
    }
}

void port_start(void)
{
    paint();
    port_exit(firmware_main());
}
