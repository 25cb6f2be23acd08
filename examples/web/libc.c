/* As much of C's library as the command line calls, for a machine that has nothing but memory.
 * Files lie in memory; what is written can be read by whoever runs the program. */
#include "web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int errno;

/* ---- bytes ---- */

/* One instruction each with bulk memory. */
void *memcpy(void *to, const void *from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}

void *memmove(void *to, const void *from, size_t size)
{
    return __builtin_memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
    return __builtin_memset(to, byte, size);
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = (const unsigned char *)a;
    const unsigned char *y = (const unsigned char *)b;
    size_t i;
    for (i = 0; i < size; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

void *memchr(const void *at, int byte, size_t size)
{
    const unsigned char *s = (const unsigned char *)at;
    size_t i;
    for (i = 0; i < size; i++) {
        if (s[i] == (unsigned char)byte) {
            return (void *)(s + i);
        }
    }
    return NULL;
}

size_t strlen(const char *s)
{
    size_t size = 0;
    while (s[size] != '\0') {
        size++;
    }
    return size;
}

int strncmp(const char *a, const char *b, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        if (a[i] != b[i] || a[i] == '\0') {
            return (int)(unsigned char)a[i] - (int)(unsigned char)b[i];
        }
    }
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
    return (char *)memchr(s, c, strlen(s) + 1u);
}

char *strrchr(const char *s, int c)
{
    const char *last = NULL;
    for (; s != NULL; s = *s != '\0' ? s + 1 : NULL) {
        last = *s == (char)c ? s : last;
    }
    return (char *)last;
}

char *strstr(const char *s, const char *part)
{
    size_t size = strlen(part);
    for (; *s != '\0' && strncmp(s, part, size) != 0; s++) {
    }
    return *s != '\0' || size == 0 ? (char *)s : NULL;
}

size_t strcspn(const char *s, const char *set)
{
    size_t size = 0;
    while (s[size] != '\0' && strchr(set, s[size]) == NULL) {
        size++;
    }
    return size;
}

size_t strspn(const char *s, const char *set)
{
    size_t size = 0;
    while (s[size] != '\0' && strchr(set, s[size]) != NULL) {
        size++;
    }
    return size;
}

char *strerror(int number)
{
    static char none[] = "there is no such file";
    static char memory[] = "the browser gives no more memory";
    static char other[] = "it cannot be done here";
    return number == ENOENT ? none : number == ENOMEM ? memory : other;
}

/* ---- memory: what lies behind the stack, as much of it as the browser gives ---- */

#define PAGE 65536u
#define UNIT 16u

/* Stands before each block; free blocks of the same room form a list. */
typedef struct block {
    size_t room; /* (2^class) * UNIT */
    struct block *next;
    size_t pad[2];
} block;

extern char __heap_base;

static char *heap_end;   /* what is handed out ends here */
static block *last;      /* and this is the block before */
static block *lists[32]; /* by class */

static int take(char *end)
{
    size_t have = __builtin_wasm_memory_size(0);
    size_t need = ((size_t)end + PAGE - 1u) / PAGE;
    if (need > have && __builtin_wasm_memory_grow(0, need - have) == SIZE_MAX) {
        return 0;
    }
    heap_end = end;
    return 1;
}

static uint32_t class_of(size_t size)
{
    uint32_t k = 0;
    while (k < 27u && ((size_t)UNIT << k) < size) {
        k++;
    }
    return k;
}

/* A large block is exactly as large as it must be: a class could be twice as large. */
static size_t room_of(size_t size)
{
    return size < PAGE ? (size_t)UNIT << class_of(size) : (size + UNIT - 1u) / UNIT * UNIT;
}

void *malloc(size_t size)
{
    uint32_t k = class_of(size);
    block *b = lists[k];
    if (size > SIZE_MAX / 2u) {
        return NULL;
    }
    if (b != NULL && b->room >= size) {
        lists[k] = b->next;
        return b + 1;
    }
    if (heap_end == NULL) {
        heap_end = &__heap_base + (UNIT - (size_t)&__heap_base % UNIT) % UNIT;
    }
    b = (block *)(void *)heap_end;
    if (room_of(size) > SIZE_MAX - (size_t)(b + 1) - PAGE ||
        !take((char *)(b + 1) + room_of(size))) {
        return NULL;
    }
    b->room = room_of(size);
    last = b;
    return b + 1;
}

void free(void *memory)
{
    block *b = (block *)memory - 1;
    uint32_t k;
    if (memory == NULL) {
        return;
    }
    k = class_of(b->room);
    b->next = lists[k];
    lists[k] = b;
}

void *realloc(void *memory, size_t size)
{
    block *b = (block *)memory - 1;
    void *grown;
    if (memory == NULL || size <= b->room) {
        return memory == NULL ? malloc(size) : memory;
    }
    if (b == last && size <= SIZE_MAX / 2u - (size_t)memory) {
        if (!take((char *)memory + room_of(size))) {
            return NULL;
        }
        b->room = room_of(size);
        return memory;
    }
    grown = malloc(size);
    if (grown != NULL) {
        memcpy(grown, memory, b->room);
        free(memory);
    }
    return grown;
}

/* ---- files ---- */

static web_file standard[3] = {{"", 0, 0, 0, 0, 0}, {"", 0, 0, 0, 0, 0}, {"", 0, 0, 0, 0, 0}};
FILE *const stdin = &standard[0];
FILE *const stdout = &standard[1];
FILE *const stderr = &standard[2];

static web_file *files; /* the newest first */

web_file *web_files(void)
{
    return files;
}

static web_file *find(const char *path)
{
    web_file *f = files;
    while (f != NULL && strcmp(f->path, path) != 0) {
        f = f->next;
    }
    return f;
}

web_file *web_add(const char *path, char *data, size_t size)
{
    size_t bytes = strlen(path) + 1u;
    web_file *f = (web_file *)malloc(sizeof *f);
    char *copy = (char *)malloc(bytes);
    if (f == NULL || copy == NULL) {
        return NULL;
    }
    f->path = (const char *)memcpy(copy, path, bytes);
    f->data = data;
    f->size = size;
    f->room = size;
    f->at = 0;
    f->next = files;
    files = f;
    return f;
}

FILE *fopen(const char *path, const char *mode)
{
    web_file *f = find(path);
    if (mode[0] == 'w') {
        f = f != NULL ? f : web_add(path, NULL, 0);
        if (f == NULL) {
            errno = ENOMEM;
            return NULL;
        }
        f->size = 0;
    } else if (f == NULL) {
        errno = ENOENT;
        return NULL;
    }
    f->at = 0;
    return f;
}

int fclose(FILE *file)
{
    (void)file;
    return 0;
}

int ferror(FILE *file)
{
    (void)file;
    return 0;
}

int fflush(FILE *file)
{
    (void)file;
    return 0;
}

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    size_t left = size != 0 ? (file->size - file->at) / size : 0;
    count = count < left ? count : left;
    memcpy(to, file->data + file->at, count * size);
    file->at += count * size;
    return count;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    size_t more = size * count;
    if (more > file->room - file->size) {
        size_t room = file->size + more > 2u * file->room ? file->size + more : 2u * file->room;
        char *data = (char *)realloc(file->data, room);
        if (data == NULL) {
            errno = ENOMEM;
            return 0;
        }
        file->data = data;
        file->room = room;
    }
    memcpy(file->data + file->size, from, more);
    file->size += more;
    return count;
}

int fputc(int character, FILE *file)
{
    char c = (char)character;
    return fwrite(&c, 1u, 1u, file) == 1u ? character : -1;
}

int fputs(const char *text, FILE *file)
{
    size_t size = strlen(text);
    return fwrite(text, 1u, size, file) == size ? 0 : -1;
}

int puts(const char *text)
{
    return fputs(text, stdout) == 0 && fputc('\n', stdout) == '\n' ? 0 : -1;
}

int remove(const char *path)
{
    web_file **at = &files;
    while (*at != NULL && strcmp((*at)->path, path) != 0) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        return -1;
    }
    *at = (*at)->next;
    return 0;
}

/* ---- formats ---- */

typedef struct sink {
    char *to;
    size_t room;
    size_t size;
} sink;

typedef struct spec {
    char fill;
    size_t width;
    size_t precision; /* or SIZE_MAX */
    uint32_t longs;   /* l, of which size_t has one here */
    char letter;
} spec;

static void put(sink *s, char c)
{
    if (s->size + 1u < s->room) {
        s->to[s->size] = c;
    }
    s->size++;
}

static void put_padded(sink *s, const spec *f, const char *text, size_t size)
{
    size_t i;
    for (i = size; i < f->width; i++) {
        put(s, f->fill);
    }
    for (i = 0; i < size; i++) {
        put(s, text[i]);
    }
}

static void put_number(sink *s, const spec *f, uint64_t value, int is_negative)
{
    char digits[24];
    uint32_t base = f->letter == 'x' ? 16u : 10u;
    size_t at = sizeof digits;
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    if (is_negative) {
        digits[--at] = '-';
    }
    put_padded(s, f, digits + at, sizeof digits - at);
}

#ifndef GSP_NO_COST /* a program without seconds prints no decimals */

/* A value from 0 to 2^64 with at most 9 decimals, rounded half to even. */
static void put_double(sink *s, const spec *f, double value)
{
    spec decimals = {'0', f->precision, SIZE_MAX, 0, 'u'};
    uint64_t whole = value < 18446744073709549568.0 ? (uint64_t)value : UINT64_MAX;
    uint64_t unit = 1;
    uint64_t part;
    double rest;
    size_t i;
    for (i = 0; i < f->precision; i++) {
        unit *= 10u;
    }
    rest = (value - (double)whole) * (double)unit;
    part = (uint64_t)rest;
    rest -= (double)part;
    part += rest > 0.5 || (rest == 0.5 && ((unit == 1u ? whole : part) & 1u) != 0) ? 1u : 0u;
    if (part >= unit) {
        whole++;
        part -= unit;
    }
    put_number(s, f, whole, 0);
    if (f->precision > 0) {
        put(s, '.');
        put_number(s, &decimals, part, 0);
    }
}

#endif

static const char *read_number(const char *format, size_t *value)
{
    for (*value = 0; *format >= '0' && *format <= '9'; format++) {
        *value = *value * 10u + (size_t)(*format - '0');
    }
    return format;
}

/* What stands between % and the letter; those of the command line are never negative. */
static const char *read_spec(const char *format, spec *f, va_list *list)
{
    f->fill = *format == '0' ? '0' : ' ';
    f->precision = SIZE_MAX;
    f->longs = 0;
    if (*format == '*') {
        f->width = (size_t)va_arg(*list, int);
        format++;
    } else {
        format = read_number(format, &f->width);
    }
    if (*format == '.' && format[1] == '*') {
        f->precision = (size_t)va_arg(*list, int);
        format += 2;
    } else if (*format == '.') {
        format = read_number(format + 1, &f->precision);
    }
    for (; *format == 'l' || *format == 'z'; format++) {
        f->longs++;
    }
    f->letter = *format;
    return format;
}

static void put_spec(sink *s, const spec *f, va_list *list)
{
    char c;
    if (f->letter == 's') {
        const char *text = va_arg(*list, const char *);
        size_t size = 0;
        while (size < f->precision && text[size] != '\0') {
            size++;
        }
        put_padded(s, f, text, size);
    } else if (f->letter == 'd') {
        int64_t value = f->longs > 1u ? va_arg(*list, long long) : va_arg(*list, int);
        put_number(s, f, value < 0 ? 0u - (uint64_t)value : (uint64_t)value, value < 0);
    } else if (f->letter == 'u' || f->letter == 'x') {
        put_number(
            s, f, f->longs > 1u ? va_arg(*list, unsigned long long) : va_arg(*list, unsigned), 0);
#ifndef GSP_NO_COST
    } else if (f->letter == 'f') {
        put_double(s, f, va_arg(*list, double));
#endif
    } else {
        c = f->letter == 'c' ? (char)va_arg(*list, int) : f->letter;
        put_padded(s, f, &c, 1u);
    }
}

int vsnprintf(char *to, size_t room, const char *format, va_list list)
{
    sink s = {to, room, 0};
    va_list at;
    va_copy(at, list);
    for (; *format != '\0'; format++) {
        if (*format == '%') {
            spec f;
            format = read_spec(format + 1, &f, &at);
            put_spec(&s, &f, &at);
        } else {
            put(&s, *format);
        }
    }
    va_end(at);
    if (room != 0) {
        to[s.size < room ? s.size : room - 1u] = '\0';
    }
    return (int)s.size;
}

int snprintf(char *to, size_t room, const char *format, ...)
{
    va_list list;
    int size;
    va_start(list, format);
    size = vsnprintf(to, room, format, list);
    va_end(list);
    return size;
}

int vfprintf(FILE *file, const char *format, va_list list)
{
    int size = vsnprintf(NULL, 0, format, list);
    char *text = (char *)malloc((size_t)size + 1u);
    if (text == NULL) {
        return -1;
    }
    (void)vsnprintf(text, (size_t)size + 1u, format, list);
    size = fwrite(text, 1u, (size_t)size, file) == (size_t)size ? size : -1;
    free(text);
    return size;
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list list;
    int size;
    va_start(list, format);
    size = vfprintf(file, format, list);
    va_end(list);
    return size;
}

/* ---- the rest ---- */

void exit(int status)
{
    web_exit(status);
    __builtin_trap();
}

char *getenv(const char *name)
{
    (void)name;
    return NULL;
}

static void swap(char *a, char *b, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) {
        char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* Heapsort: sifts down what stands at `at`. */
static void sift(
    char *base, size_t at, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t child;
    for (; (child = 2u * at + 1u) < count; at = child) {
        if (child + 1u < count && compare(base + child * size, base + (child + 1u) * size) < 0) {
            child++;
        }
        if (compare(base + at * size, base + child * size) >= 0) {
            return;
        }
        swap(base + at * size, base + child * size, size);
    }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size,
    int (*compare)(const void *, const void *))
{
    const char *at = (const char *)base;
    while (count > 0) {
        const char *middle = at + count / 2u * size;
        int order = compare(key, middle);
        if (order == 0) {
            return (void *)middle;
        }
        at = order > 0 ? middle + size : at;
        count = order > 0 ? count - count / 2u - 1u : count / 2u;
    }
    return NULL;
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *at = (char *)base;
    size_t i;
    for (i = count / 2u; i-- != 0;) {
        sift(at, i, count, size, compare);
    }
    for (i = count; i > 1u; i--) {
        swap(at, at + (i - 1u) * size, size);
        sift(at, 0, i - 1u, size, compare);
    }
}

/* ---- what the compiler calls: products that may leave 64 bits ---- */

typedef unsigned __int128 wide;

wide __multi3(wide a, wide b);

wide __multi3(wide a, wide b)
{
    uint64_t x = (uint64_t)a;
    uint64_t y = (uint64_t)b;
    uint64_t x0 = x & UINT32_MAX;
    uint64_t y0 = y & UINT32_MAX;
    uint64_t low = x0 * y0;
    uint64_t mid = (x >> 32) * y0 + (low >> 32);
    uint64_t carry = (mid & UINT32_MAX) + x0 * (y >> 32);
    uint64_t high = (x >> 32) * (y >> 32) + (mid >> 32) + (carry >> 32);
    high += (uint64_t)(a >> 64) * y + x * (uint64_t)(b >> 64);
    return ((wide)high << 64) | (carry << 32) | (low & UINT32_MAX);
}
