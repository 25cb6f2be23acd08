/* First of two translation units: holds the implementation. */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"
#include "user.h"

uint32_t other_file(void);

int main(void)
{
    return user_subgraphs() == 2u && other_file() == 2u ? 0 : 1;
}
