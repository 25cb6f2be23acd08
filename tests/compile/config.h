/* A GSP_CONFIG_HEADER: every leaf operation is the user's own. */
#ifndef CONFIG_H_INCLUDED
#define CONFIG_H_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void *own_memcpy(void *to, const void *from, size_t size);
void *own_memmove(void *to, const void *from, size_t size);
void *own_memset(void *to, int value, size_t size);
int own_memcmp(const void *a, const void *b, size_t size);
void own_assert(int condition);
#ifdef __cplusplus
}
#endif

#define GSP_MEMCPY            own_memcpy
#define GSP_MEMMOVE           own_memmove
#define GSP_MEMSET            own_memset
#define GSP_MEMCMP            own_memcmp
#define GSP_ASSERT(condition) own_assert((condition) ? 1 : 0)

#endif
