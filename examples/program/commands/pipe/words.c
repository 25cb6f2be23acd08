/* Lists and numbers among the options of `pipe`. */
#include "commands/pipe/pipe.h"

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
    uint32_t const below = text.size > 1u && text.data[0] == '-';
    int64_t number = 0;
    uint32_t i;
    for (i = below; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++) {
        number = number * 10 + (text.data[i] - '0');
        number = number < UINT32_MAX ? number : UINT32_MAX;
    }
    *value = below && number != 0 ? -1 : number;
    return text.size != 0 && i == text.size;
}
