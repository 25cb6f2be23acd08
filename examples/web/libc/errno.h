/* What the command line needs of C's library: libc.c. */
#ifndef WEB_ERRNO_H
#define WEB_ERRNO_H

#define ENOENT 2
#define EINTR  4
#define ENOMEM 12
#define EEXIST 17

extern int errno;

#endif
