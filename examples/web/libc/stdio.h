/* What the command line needs of C's library: libc.c. Files lie in memory. */
#ifndef WEB_STDIO_H
#define WEB_STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct web_file FILE;

extern FILE *const stdin; /* always empty */
extern FILE *const stdout;
extern FILE *const stderr;

FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
int ferror(FILE *file);
int fflush(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fputc(int character, FILE *file);
int fputs(const char *text, FILE *file);
int puts(const char *text);
int remove(const char *path);

/* Formats: %d %u %x %c %s %%, with 0, width, precision, *, l, ll, z. None for floating point. */
int vsnprintf(char *to, size_t room, const char *format, va_list list);
int snprintf(char *to, size_t room, const char *format, ...);
int vfprintf(FILE *file, const char *format, va_list list);
int fprintf(FILE *file, const char *format, ...);

#endif
