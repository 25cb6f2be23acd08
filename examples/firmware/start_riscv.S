/* Reset on RISC-V: a stack, a trap handler that ends the run, zeroed memory, the application. */
    .option arch, +zicsr
    .section .text.init
    .globl _start
_start:
    la   sp, port_stack_top
    la   t0, trap
    csrw mtvec, t0
    la   t0, port_bss_begin
    la   t1, port_free_begin
1:  bgeu t0, t1, 2f
    sb   zero, 0(t0)
    addi t0, t0, 1
    j    1b
2:  call port_start
    .balign 4
trap:
    li   a0, 99
    j    port_exit
