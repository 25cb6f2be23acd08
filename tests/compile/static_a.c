/* First of two files which each have the whole library to themselves. */
#define GRAPHSPLIT_STATIC
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include "user.h"

uint32_t other_file(void);

int main(void)
{
    return user_subgraphs() == 2u && other_file() == 2u ? 0 : 1;
}
