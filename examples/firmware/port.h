/* The interface of a board: text, exit, and the bounds of the stack. One file per family of boards:
 * port_cortex_m.c, port_riscv.c. */
#ifndef FIRMWARE_PORT_H
#define FIRMWARE_PORT_H

#include <stdint.h>

void port_puts(const char *text);

/* The application, called after reset; its result is the exit code of the emulator. */
int firmware_main(void);

/* From the end of all data to the top of the stack; painted before firmware_main() runs. */
extern uint32_t port_free_begin[];
extern uint32_t port_stack_top[];

#define PORT_PAINT 0xA5A5A5A5u

#endif
