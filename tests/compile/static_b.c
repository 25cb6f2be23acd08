/* Second of two files which each have the whole library to themselves. */
#define GRAPHSPLIT_STATIC
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include "user.h"

uint32_t other_file(void);

uint32_t other_file(void)
{
    return user_subgraphs();
}
