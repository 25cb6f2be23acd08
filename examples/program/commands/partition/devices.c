/* Devices, and the assignment of --mode aot, from the options. */
#include "commands/partition/partition.h"

#include <inttypes.h>
#include <string.h>

#define MOST_DEVICES 65536u

/* ---- texts ---- */

/* The next word of a line from *at. Blanks end a word; a comment extends to the end of the line. */
static gsp_str next_word(gsp_str line, uint32_t *at)
{
    gsp_str word;
    while (*at < line.size && strchr(" \t\r", line.data[*at]) != NULL) {
        ++*at;
    }
    word.data = line.data + *at;
    word.size = 0;
    while (*at < line.size && strchr(" \t\r#", line.data[*at]) == NULL) {
        ++*at;
        word.size++;
    }
    return word;
}

static int read_id(gsp_str text, uint32_t *id)
{
    uint64_t value;
    if (!gsp_str_number(text, &value) || value >= GSP_NONE) {
        return 0;
    }
    *id = (uint32_t)value;
    return 1;
}

/* ---- devices ---- */

static int add_device(partition *p, gsp_str name, uint64_t bytes, uint32_t id, const char *from)
{
    uint32_t n = p->n_devices;
    gsp_device *device;
    if (n >= MOST_DEVICES) {
        return cli_usage_error(
            p->session, "%s: there are more than %u devices", from, MOST_DEVICES);
    }
    if ((n & (n - 1u)) == 0) { /* room is the next power of two */
        size_t room = n != 0 ? (size_t)n * 2u : 1u;
        p->devices = (gsp_device *)cli_grow(p->session, p->devices, room * sizeof *p->devices);
        p->device_from = (const char **)cli_grow(
            p->session, (void *)p->device_from, room * sizeof *p->device_from);
    }
    device = &p->devices[n];
    device->name = name;
    device->bytes = bytes;
    device->id = id;
    p->device_from[n] = from;
    p->n_devices = n + 1u;
    return CLI_EXIT_OK;
}

/* --device NAME:BYTES, the next logical id. */
static int read_option(partition *p, const char *value)
{
    gsp_str name = gsp_str_of(value);
    gsp_str bytes = {NULL, 0};
    uint64_t number;
    uint32_t at = name.size;
    cli_buffer from;
    while (at != 0 && name.data[at - 1u] != ':') {
        at--;
    }
    if (at > 1u) {
        bytes.data = name.data + at;
        bytes.size = name.size - at;
        name.size = at - 1u;
    }
    if (at < 2u || !cli_bytes_read(bytes, &number)) {
        const char *meant = cli_bytes_meant(p->session, bytes);
        return cli_usage_error(p->session,
            "--device expects NAME:BYTES, such as npu:33000000 or npu:%s, and at most 2^64 - 1 "
            "bytes, got '%s'",
            meant != NULL ? meant : "32MiB", value);
    }
    if (memchr(name.data, ',', name.size) != NULL) {
        return cli_usage_error(
            p->session, "--device expects one device, got '%s'; repeat it for more", value);
    }
    cli_buffer_init(&from, p->session);
    cli_printf(&from, "--device %s", value);
    cli_put(&from, "", 1u);
    return add_device(p, name, number, p->n_devices, from.data);
}

/* A wrong line: its place, and what is expected. */
static int refuse_line(
    partition *p, const char *path, size_t line, gsp_str at, gsp_str text, const char *expected)
{
    cli_buffer found;
    uint32_t column = 1;
    const char *c;
    for (c = at.data; c > text.data && c[-1] != '\n'; c--) {
        column++;
    }
    cli_buffer_init(&found, p->session);
    cli_put_clipped(&found, at, 40u);
    cli_put(&found, "", 1u);
    return cli_error(p->session, GSP_STATUS_PARSE, "%s:%" PRIu64 ":%" PRIu32 ": %s, got %s%s%s",
        strcmp(path, "-") == 0 ? "standard input" : path, (uint64_t)line, column, expected,
        at.size != 0 ? "'" : "", at.size != 0 ? found.data : "nothing more",
        at.size != 0 ? "'" : "");
}

/* NAME BYTES [ID]; ignores blank lines and comments. */
static int read_line(partition *p, const char *path, size_t number, gsp_str line, gsp_str text)
{
    uint32_t at = 0;
    gsp_str name = next_word(line, &at);
    gsp_str size;
    gsp_str word;
    uint64_t bytes;
    uint32_t id = p->n_devices;
    cli_buffer from;
    if (name.size == 0) {
        return CLI_EXIT_OK;
    }
    size = next_word(line, &at);
    if (!cli_bytes_read(size, &bytes)) {
        const char *meant = cli_bytes_meant(p->session, size);
        cli_buffer_init(&from, p->session);
        cli_printf(&from, "expected the bytes of the device, such as 33000000 or %s",
            meant != NULL ? meant : "32MiB");
        cli_put(&from, "", 1u);
        return refuse_line(p, path, number, size, text, from.data);
    }
    word = next_word(line, &at);
    if (word.size != 0 && !read_id(word, &id)) {
        return refuse_line(p, path, number, word, text, "expected a logical id, 0 to 4294967294");
    }
    if (word.size != 0 && (word = next_word(line, &at)).size != 0) {
        return refuse_line(p, path, number, word, text, "expected the end of the line");
    }
    cli_buffer_init(&from, p->session);
    cli_printf(&from, "%s:%" PRIu64, path, (uint64_t)number);
    cli_put(&from, "", 1u);
    return add_device(p, name, bytes, id, from.data);
}

static int read_file(partition *p, const char *path)
{
    gsp_str text;
    gsp_str line;
    char *data;
    size_t size;
    size_t number;
    uint32_t at = 0;
    int code = cli_file_read(p->session, path, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (size > UINT32_MAX || memchr(data, '\0', size) != NULL) {
        return cli_error(p->session, GSP_STATUS_PARSE, "%s is not a device file", path);
    }
    text.data = data;
    text.size = (uint32_t)size;
    for (number = 1; at < text.size && code == CLI_EXIT_OK; number++) {
        const char *end = (const char *)memchr(data + at, '\n', text.size - at);
        line.data = data + at;
        line.size = end != NULL ? (uint32_t)(end - line.data) : text.size - at;
        code = read_line(p, path, number, line, text);
        at += line.size + (end != NULL ? 1u : 0u);
    }
    return code;
}

int partition_read_devices(partition *p)
{
    int code = CLI_EXIT_OK;
    size_t i;
    for (i = 0; i < p->session->n_given && code == CLI_EXIT_OK; i++) {
        const cli_given *given = &p->session->given[i];
        if (strcmp(given->option->name, "--device") == 0) {
            code = read_option(p, given->value);
        } else if (strcmp(given->option->name, "--devices") == 0) {
            code = read_file(p, given->value);
        }
    }
    p->desc.devices = p->devices;
    p->desc.n_devices = p->n_devices;
    return code;
}

/* ---- the assignment of --mode aot ---- */

/* ID,ID */
static int read_ids(partition *p, gsp_str list, gsp_part_devices *out)
{
    uint32_t *ids = (uint32_t *)cli_alloc(p->session, (size_t)list.size + 1u, sizeof *ids);
    uint32_t at = 0;
    int ok = list.size != 0;
    out->n_ids = 0;
    while (ok && at <= list.size) {
        gsp_str id;
        id.data = list.data + at;
        for (id.size = 0; at < list.size && list.data[at] != ','; at++) {
            id.size++;
        }
        ok = read_id(id, &ids[out->n_ids++]);
        at++;
    }
    out->ids = ids;
    return ok;
}

/* K=ID,ID */
static int read_part_devices(partition *p, const char *value, gsp_part_devices *out)
{
    const char *equals = strchr(value, '=');
    gsp_str part = gsp_str_of(value);
    part.size = equals != NULL ? (uint32_t)(equals - value) : 0u;
    if (!read_id(part, &out->part) ||
        !read_ids(p, gsp_str_of(equals != NULL ? equals + 1 : NULL), out)) {
        return cli_usage_error(p->session,
            "--partition-devices expects K=ID,ID, a partition of --assign from 0 to 4294967294 and "
            "the logical ids of its devices, got '%s'",
            value);
    }
    return CLI_EXIT_OK;
}

/* Adds the devices that the notes of a plan give for partitions without options, after the first n
 * entries. A note that is no list of devices belongs to another command. */
static uint32_t read_notes(partition *p, gsp_part_devices *all, uint32_t n)
{
    const cli_plan_text *plan = &p->loaded.plan;
    uint32_t added = 0;
    uint32_t i;
    for (i = 0; i < plan->n_parts; i++) {
        int64_t number = p->assign.numbers[i];
        uint32_t k = 0;
        while (k < n && (int64_t)all[k].part != number) {
            k++;
        }
        if (k == n && number >= 0 && number < (int64_t)GSP_NONE &&
            read_ids(p, plan->notes[i], &all[n + added])) {
            all[n + added++].part = (uint32_t)number;
        }
    }
    return added;
}

static int read_all_part_devices(partition *p)
{
    size_t room = p->session->n_given + p->loaded.plan.n_parts + 1u;
    gsp_part_devices *all = (gsp_part_devices *)cli_alloc(p->session, room, sizeof *all);
    uint32_t n = 0;
    size_t i;
    for (i = 0; i < p->session->n_given; i++) {
        const cli_given *given = &p->session->given[i];
        uint32_t k;
        int code;
        if (strcmp(given->option->name, "--partition-devices") != 0) {
            continue;
        }
        code = read_part_devices(p, given->value, &all[n]);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        for (k = 0; k < n; k++) {
            if (all[k].part == all[n].part) {
                return cli_error(p->session, GSP_STATUS_ARG,
                    "--partition-devices %s: partition %" PRIu32
                    " already has devices; give them all at once",
                    given->value, all[n].part);
            }
        }
        n++;
    }
    n += read_notes(p, all, n);
    p->desc.part_devices = all;
    p->desc.n_part_devices = n;
    return CLI_EXIT_OK;
}

/* --plan: its parts are the partitions. */
static int read_plan(partition *p)
{
    cli_session *s = p->session;
    int code;
    if (p->assign.n_parts != 0) {
        return cli_usage_error(s, "--plan cannot be combined with --assign");
    }
    code = cli_plan_load(s, p->opt.plan, &p->graph, &p->loaded);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    p->assign.n_parts = p->loaded.plan.n_parts;
    p->assign.numbers =
        (int64_t *)cli_alloc(s, (size_t)p->assign.n_parts + 1u, sizeof *p->assign.numbers);
    (void)cli_plan_numbers(&p->loaded.plan, p->assign.numbers);
    memcpy(p->assign.part_of, p->loaded.on.part_of,
        (size_t)p->graph.n_nodes * sizeof *p->assign.part_of);
    return CLI_EXIT_OK;
}

/* Indices into the numbers of --assign become the numbers. */
static int number_parts(partition *p)
{
    uint32_t *part_of = p->assign.part_of;
    gsp_node v;
    for (v = 0; v < p->graph.n_nodes; v++) {
        uint32_t part = part_of[v];
        if (part == GSP_NONE) {
            continue;
        }
        if (p->assign.numbers[part] < 0 || p->assign.numbers[part] >= (int64_t)GSP_NONE) {
            return cli_error(p->session, GSP_STATUS_ARG,
                "%s: %s belongs to partition %" PRId64
                "; the numbers of partitions are 0 to 4294967294",
                p->opt.plan != NULL ? p->opt.plan : "--assign",
                cli_copy(p->session, gsp_node_name(&p->graph, v)), p->assign.numbers[part]);
        }
        part_of[v] = (uint32_t)p->assign.numbers[part];
    }
    p->desc.part_of = part_of;
    return CLI_EXIT_OK;
}

int partition_read_assignment(partition *p)
{
    int code = cli_assign_read(p->session, &p->graph, &p->assign);
    if (code == CLI_EXIT_OK && p->opt.plan != NULL) {
        code = read_plan(p);
    }
    if (code == CLI_EXIT_OK) {
        code = read_all_part_devices(p);
    }
    if (code == CLI_EXIT_OK && p->opt.mode != GSP_PARTITION_AOT &&
        (p->assign.n_parts != 0 || p->desc.n_part_devices != 0)) {
        return cli_usage_error(p->session, "--assign and --partition-devices require --mode aot; "
                                           "the other modes choose partitions themselves");
    }
    return code != CLI_EXIT_OK ? code : number_parts(p);
}

void partition_give(partition *p, const uint32_t *part_of, uint32_t n, const uint32_t *device_of)
{
    cli_session *s = p->session;
    gsp_part_devices *on = (gsp_part_devices *)cli_alloc(s, (size_t)n + 1u, sizeof *on);
    uint32_t *ids = (uint32_t *)cli_alloc(s, (size_t)n + 1u, sizeof *ids);
    uint32_t i;
    for (i = 0; i < n; i++) {
        ids[i] = p->devices[device_of[i]].id;
        on[i].part = i;
        on[i].n_ids = 1;
        on[i].ids = &ids[i];
    }
    p->desc.mode = GSP_PARTITION_AOT;
    p->desc.devices = p->devices;
    p->desc.n_devices = p->n_devices;
    p->desc.part_of = part_of;
    p->desc.part_devices = on;
    p->desc.n_part_devices = n;
}
