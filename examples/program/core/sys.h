/* What differs between systems: terminals, clocks, directories. */
#ifndef CLI_CORE_SYS_H
#define CLI_CORE_SYS_H

#include <stddef.h>
#include <stdint.h>

int cli_is_terminal(int number); /* 1: standard output, 2: standard error */
size_t cli_columns(void);        /* of the terminal of standard error; 80 if unknown */
uint64_t cli_now(void);          /* nanoseconds of a monotonic clock */

/* cli_date: now, as 2026-01-31T23:59:59+00:00. cli_machine: the processor, and how many there are,
 * where Linux tells it; else "unknown" and 0. Neither needs escapes in JSON. */
enum { CLI_DATE_SIZE = 32, CLI_MACHINE_SIZE = 128 };
void cli_date(char *text);
uint32_t cli_machine(char *model);

int cli_make_dir(const char *path);     /* 0: it exists now; 1: created; -1: failed */
void cli_remove_file(const char *path); /* but not a device, link or directory of that name */
void cli_remove_dir(const char *path);  /* if it is empty */

/* cli_remove_all: a directory and its files; not if it is a link, or holds links or directories. */
void cli_remove_all(const char *path);

/* cli_create: an empty file. 0: something has that name; 1: created; -1: failed. */
int cli_create(const char *path);

/* cli_rename: replaces a file in one step. 0: done. */
int cli_rename(const char *from, const char *to);

/* cli_copy_file: a second name for a file, or a copy where the file system has one name for each.
 * 0: done. */
int cli_copy_file(const char *from, const char *to);

/* cli_is_replaceable: nothing has that name, or a file that may be written; no directory, device or
 * pipe. */
int cli_is_replaceable(const char *path);

/* cli_real_path: of a file, or of one that a link names and that is not there yet, without links;
 * free() it. NULL: there is neither. */
char *cli_real_path(const char *path);

/* cli_take_over: gives a new file the permissions of an old one, if that is there. 0: done. */
int cli_take_over(const char *path, const char *old);

/* cli_lock_dir: waits until no other run holds the directory, then holds it until the program ends.
 * Linux only; other systems do not wait. */
void cli_lock_dir(const char *path);

/* cli_is_same_file: both names lead to one existing file; devices and pipes are no files. */
int cli_is_same_file(const char *a, const char *b);
void cli_binary_streams(void);

/* cli_map: maps a file of at least so many bytes into memory until the program ends; NULL: a
 * smaller file, or not possible. */
const char *cli_map(const char *path, size_t least, size_t *size);

#endif
