/* Second of two translation units: uses the API. */
#include "graphsplit.h"
#include "user.h"

uint32_t other_file(void);

uint32_t other_file(void)
{
    return user_subgraphs();
}
