/* Lists of words, on the command line or in files. */
#include "input/input.h"

#include <string.h>

int cli_list_spec(cli_session *s, const char *spec, gsp_str *text, const char **path)
{
    char *data = NULL;
    size_t size = 0;
    int code;
    *path = NULL;
    if (spec[0] != '@') {
        *text = gsp_str_of(spec);
        return CLI_EXIT_OK;
    }
    code = cli_file_read(s, spec + 1, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s holds 4 GiB or more", spec + 1);
    }
    *path = spec + 1;
    text->data = data;
    text->size = (uint32_t)size;
    return CLI_EXIT_OK;
}

gsp_str cli_list_next(gsp_str list, uint32_t *at)
{
    gsp_str name = {NULL, 0};
    while (*at < list.size && strchr(" \t\r\n,#", list.data[*at]) != NULL) {
        if (list.data[*at] == '#') {
            while (*at < list.size && list.data[*at] != '\n') {
                ++*at;
            }
        } else {
            ++*at;
        }
    }
    name.data = list.data + *at;
    while (*at < list.size && strchr(" \t\r\n,", list.data[*at]) == NULL) {
        ++*at;
        name.size++;
    }
    return name;
}

int cli_integer(gsp_str text, int64_t *number)
{
    int minus = text.size > 1u && text.data[0] == '-';
    uint64_t value;
    text.data += minus;
    text.size -= (uint32_t)minus;
    if (!gsp_str_number(text, &value) || value > (uint64_t)INT64_MAX) {
        return 0;
    }
    *number = minus ? -(int64_t)value : (int64_t)value;
    return 1;
}
