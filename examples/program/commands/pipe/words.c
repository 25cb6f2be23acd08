/* Lists and numbers among the options of `pipe`. */
#include "commands/pipe/words.h"

gsp_str pipe_list_item(gsp_str list, uint32_t *at)
{
    gsp_str item;
    uint32_t end;
    while (*at < list.size && list.data[*at] == ',') {
        ++*at;
    }
    for (end = *at; end < list.size && list.data[end] != ','; end++) {
    }
    item.data = list.data + *at;
    item.size = end - *at;
    *at = end;
    return item;
}

int pipe_integer(gsp_str text, int64_t *value)
{
    int below = text.size > 1u && text.data[0] == '-';
    uint64_t number;
    if (below) {
        text.data++;
        text.size--;
    }
    if (!gsp_str_number(text, &number)) {
        return 0;
    }
    *value = below && number != 0 ? -1 : number > INT64_MAX ? INT64_MAX : (int64_t)number;
    return 1;
}
