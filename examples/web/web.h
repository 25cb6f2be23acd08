/* Shared by the files of the browser's program. */
#ifndef GRAPHSPLIT_WEB_H
#define GRAPHSPLIT_WEB_H

#include <stddef.h>
#include <stdint.h>

/* A file in memory; JavaScript reads it as six words. */
typedef struct web_file web_file;

struct web_file {
    const char *path;
    char *data;
    size_t size;
    size_t room;
    size_t at; /* of the reader */
    web_file *next;
};

/* web_files: all files but the standard streams, the newest first. */
web_file *web_files(void);

/* web_add: adds a file with these bytes, which are not copied; NULL if no memory. */
web_file *web_add(const char *path, char *data, size_t size);

/* web_exit: ends the program with a status, without returning. */
void web_exit(int status);

#endif
