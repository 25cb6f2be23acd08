/* The port of bench/count.c to a system. */
#include "../examples/firmware/port.h"

#include <stdio.h>

void port_puts(const char *text)
{
    fputs(text, stdout);
}

int main(void)
{
    return firmware_main();
}
