/* What the command line program wants of a system, on a machine without one: RISC-V under QEMU,
 * whose semihosting gives files and a console, and picolibc, whose printf gives as few digits as
 * tell a number from its neighbours where others give all that are asked for. tests/cross/run.sh
 * links it for riscv32. */
#include <semihost.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int isatty(int file);
int mkdir(const char *path, unsigned mode);
int rmdir(const char *path);
int rename(const char *from, const char *to);
struct stat;
int stat(const char *path, struct stat *about);

/* There is one console, and it is standard output. */
static int nowhere_put(char c, FILE *file)
{
    (void)file;
    return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(sys_semihost_putc, NULL, NULL, _FDEV_SETUP_WRITE);
static FILE nowhere = FDEV_SETUP_STREAM(nowhere_put, NULL, NULL, _FDEV_SETUP_WRITE);

FILE *const stdin = &nowhere;
FILE *const stdout = &console;
FILE *const stderr = &nowhere;

int isatty(int file)
{
    (void)file;
    return 0;
}

int mkdir(const char *path, unsigned mode)
{
    (void)path;
    (void)mode;
    return -1;
}

int rmdir(const char *path)
{
    (void)path;
    return -1;
}

int rename(const char *from, const char *to)
{
    (void)from;
    (void)to;
    return -1;
}

/* Files are never written here, so none is the same as another. */
int stat(const char *path, struct stat *about)
{
    (void)path;
    (void)about;
    return -1;
}

/* ---- digits: the hook of picolibc's printf ---- */

#define LIMBS 100 /* of nine digits: 2^53 * 5^1074 */

struct dtoa {
    int32_t exp; /* of the first digit */
    uint8_t flags;
    char digits[17];
};

int __dtoa_engine(double x, struct dtoa *to, int max_digits, bool fixed, int max_decimals);

static void multiply(uint32_t *limb, uint32_t by)
{
    uint64_t carry = 0;
    int i;
    for (i = 0; i < LIMBS; i++) {
        carry += (uint64_t)limb[i] * by;
        limb[i] = (uint32_t)(carry % 1000000000u);
        carry /= 1000000000u;
    }
}

/* All digits of bits * 2^two, as digits * 10^*ten; returns how many there are. */
static int all_digits(uint64_t bits, int two, char *digits, int *ten)
{
    uint32_t limb[LIMBS] = {0};
    int n = 0;
    int i;
    limb[0] = (uint32_t)(bits % 1000000000u);
    limb[1] = (uint32_t)(bits / 1000000000u);
    *ten = two < 0 ? two : 0;
    for (; two != 0; two += two < 0 ? 1 : -1) {
        multiply(limb, two < 0 ? 5 : 2);
    }
    for (i = 9 * LIMBS - 1; i >= 0; i--) {
        static uint32_t const power[] = {
            1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        uint32_t const digit = limb[i / 9] / power[i % 9] % 10;
        if (n > 0 || digit != 0) {
            digits[n++] = (char)('0' + digit);
        }
    }
    return n;
}

/* Rounds to `keep` digits, halves to even; returns whether there is one more now. */
static int round_digits(char *digits, int n, int keep)
{
    int i;
    int tail = 0;
    for (i = keep + 1; i < n; i++) {
        tail |= digits[i] != '0';
    }
    if (n <= keep || digits[keep] < '5' ||
        (digits[keep] == '5' && !tail && (keep == 0 || digits[keep - 1] % 2 == 0))) {
        return 0;
    }
    for (i = keep; i > 0; i--) {
        if (digits[i - 1] != '9') {
            digits[i - 1]++;
            return 0;
        }
        digits[i - 1] = '0';
    }
    digits[0] = '1';
    return 1;
}

int __dtoa_engine(double x, struct dtoa *to, int max_digits, bool fixed, int max_decimals)
{
    char digits[9 * LIMBS];
    uint64_t bits;
    int exponent;
    int ten;
    int n;
    int keep;
    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> 52) & 2047;
    to->flags = bits >> 63 != 0 ? 1 : 0;
    to->exp = 0;
    bits &= 0xFFFFFFFFFFFFFu;
    if (exponent == 2047) {
        to->flags |= bits != 0 ? 8 : 4;
        return 0;
    }
    if (exponent == 0 && bits == 0) {
        to->flags |= 2;
        to->digits[0] = '0';
        return 1;
    }
    bits |= exponent != 0 ? (uint64_t)1 << 52 : 0;
    n = all_digits(bits, (exponent != 0 ? exponent : 1) - 1075, digits, &ten);
    to->exp = n - 1 + ten;
    keep =
        fixed && to->exp + 1 + max_decimals < max_digits ? to->exp + 1 + max_decimals : max_digits;
    keep = keep < 0 ? 0 : keep;
    if (keep < n) {
        to->exp += round_digits(digits, n, keep);
        n = keep > 0 ? keep : 1;
    }
    memcpy(to->digits, digits, (size_t)n);
    return n;
}
