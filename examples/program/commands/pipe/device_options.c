/* graphsplit pipe: devices of stages and the links between them, from the options. */
#include "commands/pipe/pipe.h"

#include <inttypes.h>
#include <string.h>

#define MOST_DEVICES 64u
#define MOST_SPEED   1e6
#define LEAST_SPEED  (1e-6 * (1.0 - 1e-9)) /* long double constants are above 1e-6 */

/* ---- devices ---- */

/* The last field after a colon, which *text loses; empty if there is none. */
static gsp_str last_field(gsp_str *text)
{
    gsp_str field = *text;
    uint32_t at = text->size;
    while (at > 0 && text->data[at - 1u] != ':') {
        at--;
    }
    field.data += at;
    field.size = at > 0 ? text->size - at : 0u;
    text->size = at > 0 ? at - 1u : text->size;
    return field;
}

/* NAME:BYTES[:SPEED]. A name may hold colons: of two numbers at the end the second is a speed
 * unless it is the larger one, as in cuda:0:24000000000. */
static int read_device(const char *value, gsp_str *name, gsp_stages_device *slot)
{
    gsp_str before = gsp_str_of(value);
    gsp_str const last = last_field(&before);
    gsp_str rest = before;
    gsp_str const middle = last_field(&rest);
    uint64_t bytes;
    double speed;
    slot->speed = 1.0;
    if (rest.size != 0 && rest.size < before.size && cli_bytes_read(middle, &bytes) &&
        gsp_str_decimal(last, &speed) && !(speed > (double)bytes)) {
        *name = rest;
        slot->bytes = bytes;
        slot->speed = speed;
        return 1;
    }
    *name = before;
    return before.size != 0 && cli_bytes_read(last, &slot->bytes);
}

/* Whether a name has a size in it, as 1G in a:1G:1, or ends in two numbers: a field too many. */
static int has_size(gsp_str name)
{
    gsp_str field = last_field(&name);
    uint32_t numbers = 0;
    int at_end = 1;
    for (; field.size != 0; field = last_field(&name)) {
        uint64_t bytes;
        double number;
        int const is_size = cli_bytes_read(field, &bytes);
        if (is_size && !gsp_str_decimal(field, &number)) {
            return 1;
        }
        at_end = at_end && is_size;
        numbers += (uint32_t)at_end;
    }
    return numbers > 1u;
}

static int check_device(pipe_job *p, const char *value, uint32_t at)
{
    const pipe_devices *d = &p->plan.devices;
    uint32_t i;
    if (!(d->slots[at].speed > 0.0) || d->slots[at].speed > MOST_SPEED ||
        d->slots[at].speed < LEAST_SPEED) {
        return cli_usage_error(p->session,
            "--device %s: the speed divides times, so it is a number above 0, from 10^-6 to 10^6",
            value);
    }
    if (has_size(d->names[at])) {
        return cli_usage_error(p->session,
            "--device %s: it has more than a name, bytes and a speed, as in gpu:24G:3.5", value);
    }
    if (memchr(d->names[at].data, ',', d->names[at].size) != NULL) {
        return cli_usage_error(
            p->session, "--device expects one device, got '%s'; repeat it for more", value);
    }
    for (i = 0; i < at; i++) {
        if (gsp_str_equal(d->names[i], d->names[at])) {
            return cli_usage_error(p->session, "--device %s: another device has this name", value);
        }
    }
    return CLI_EXIT_OK;
}

static int read_devices(pipe_job *p)
{
    cli_session *s = p->session;
    pipe_devices *d = &p->plan.devices;
    size_t i;
    d->names = (gsp_str *)cli_alloc(s, s->n_given + 1u, sizeof *d->names);
    d->slots = (gsp_stages_device *)cli_alloc(s, s->n_given + 1u, sizeof *d->slots);
    for (i = 0; i < s->n_given; i++) {
        const char *value = s->given[i].value;
        int code;
        if (strcmp(s->given[i].option->name, "--device") != 0) {
            continue;
        }
        if (!read_device(value, &d->names[d->n], &d->slots[d->n])) {
            return cli_usage_error(s,
                "--device expects NAME:BYTES[:SPEED], such as gpu:24G or gpu:24G:3.5, got '%s'",
                value);
        }
        code = check_device(p, value, d->n);
        if (code != CLI_EXIT_OK) {
            return code;
        }
        d->slots[d->n].link = d->n;
        d->n++;
    }
    return d->n <= MOST_DEVICES
               ? CLI_EXIT_OK
               : cli_usage_error(s, "--device: there are more than %u devices", MOST_DEVICES);
}

/* ---- links ---- */

static uint32_t find_device(const pipe_devices *d, gsp_str name)
{
    uint32_t i = 0;
    while (i < d->n && !gsp_str_equal(d->names[i], name)) {
        i++;
    }
    return i;
}

/* A,B=BYTES_PER_S; values take it either way. */
static int read_link(pipe_job *p, const cli_given *given, const char *equals)
{
    cli_session *s = p->session;
    pipe_devices *d = &p->plan.devices;
    gsp_str names[2];
    uint32_t ends[2] = {0, 0};
    uint64_t rate = 0;
    const char *comma = strchr(given->value, ',');
    int code = cli_option_bytes(s, given->option, equals + 1, &rate);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    if (comma == NULL || comma > equals) {
        return cli_usage_error(s,
            "--bandwidth expects BYTES_PER_S or A,B=BYTES_PER_S, such as gpu,cpu=12G, got '%s'",
            given->value);
    }
    names[0] = gsp_str_of(given->value);
    names[0].size = (uint32_t)(comma - given->value);
    names[1] = gsp_str_of(comma + 1);
    names[1].size = (uint32_t)(equals - comma - 1);
    for (uint32_t i = 0; i < 2u; i++) {
        ends[i] = find_device(d, names[i]);
        if (ends[i] == d->n) {
            return cli_usage_error(s, "--bandwidth %s: no --device has the name '%s'", given->value,
                cli_copy(s, names[i]));
        }
    }
    if (ends[0] == ends[1]) {
        return cli_usage_error(s, "--bandwidth %s: a link is between two devices", given->value);
    }
    if (d->links[(size_t)ends[0] * d->n + ends[1]] > 0.0) {
        return cli_usage_error(s, "--bandwidth %s: this link has another one", given->value);
    }
    d->links[(size_t)ends[0] * d->n + ends[1]] = (double)rate;
    d->links[(size_t)ends[1] * d->n + ends[0]] = (double)rate;
    return CLI_EXIT_OK;
}

/* --bandwidth: of all links, or, which wins, of one. */
static int read_links(pipe_job *p)
{
    cli_session *s = p->session;
    pipe_devices *d = &p->plan.devices;
    size_t const n = (size_t)d->n * d->n;
    int by_pair = 0;
    int of_all = 0;
    int code = CLI_EXIT_OK;
    d->links = (double *)cli_alloc(s, n + 1u, sizeof *d->links);
    for (size_t i = 0; i < s->n_given && code == CLI_EXIT_OK; i++) {
        const cli_given *given = &s->given[i];
        const char *equals = strrchr(given->value, '=');
        if (strcmp(given->option->name, "--bandwidth") != 0) {
            continue;
        }
        if (equals == NULL && of_all) {
            return cli_usage_error(s, "--bandwidth %s: all links have another one", given->value);
        }
        by_pair |= equals != NULL;
        of_all |= equals == NULL;
        code = equals == NULL ? cli_option_bytes(s, given->option, given->value, &p->opt.bandwidth)
                              : read_link(p, given, equals);
    }
    for (size_t i = 0; i < n; i++) {
        d->links[i] = d->links[i] > 0.0 ? d->links[i] : (double)p->opt.bandwidth;
    }
    d->links = by_pair ? d->links : NULL;
    return code;
}

/* ---- what belongs together ---- */

int pipe_device_options(pipe_job *p)
{
    int code = read_devices(p);
    return code == CLI_EXIT_OK ? read_links(p) : code;
}

/* The number of stages, and where those of a schedule run. */
static int refuse_numbers(pipe_job *p)
{
    cli_session *s = p->session;
    const pipe_devices *d = &p->plan.devices;
    uint32_t const chunks = p->plan.schedule.n_chunks;
    int64_t stages = d->n;
    if (p->opt.stages != NULL && pipe_integer(gsp_str_of(p->opt.stages), &stages) &&
        stages > (int64_t)d->n * chunks) {
        return cli_usage_error(s, "--stages %s: there %s %" PRIu32 " device%s%s", p->opt.stages,
            d->n == 1u ? "is" : "are", d->n, cli_plural(d->n),
            chunks > 1u ? ", with as many stages each as --chunks says" : ", with one stage each");
    }
    if (chunks > 1u && p->opt.any_order) {
        return cli_usage_error(s, "--any-order cannot be combined with a schedule of several "
                                  "stages per device");
    }
    if (chunks > 1u && p->opt.stages != NULL && stages != (int64_t)d->n * chunks) {
        return cli_usage_error(s,
            "--stages %s: with several stages per device, all devices of "
            "--device have stages",
            p->opt.stages);
    }
    if (p->plan.given.path != NULL && p->plan.given.n_devices != d->n) {
        return cli_usage_error(s,
            "--device: %" PRIu32 " devices, but the schedule of %s has %" PRIu32, d->n,
            p->plan.given.path, p->plan.given.n_devices);
    }
    return CLI_EXIT_OK;
}

int pipe_devices_refuse(pipe_job *p)
{
    const pipe_options *o = &p->opt;
    const pipe_devices *d = &p->plan.devices;
    const char *lonely = o->any_order      ? "--any-order"
                         : o->kv != 0      ? "--kv"
                         : o->context != 0 ? "--context"
                         : d->latency      ? "--balance latency"
                                           : NULL;
    const char *other = o->memory != 0   ? "--memory"
                        : o->orders > 1u ? "--orders"
                        : o->cores != 0  ? "--cpu-cores"
                        : o->cut != NULL ? "--plan"
                                         : NULL;
    if (d->n == 0) {
        return lonely == NULL
                   ? CLI_EXIT_OK
                   : cli_usage_error(p->session, "%s requires --device NAME:BYTES", lonely);
    }
    if (strcmp(o->policy, "optimal") != 0) {
        return cli_usage_error(
            p->session, "--device requires --policy optimal, which it is without --policy");
    }
    if (other != NULL) {
        return cli_usage_error(p->session, "--device cannot be combined with %s", other);
    }
    if (o->goal != NULL && strcmp(o->goal, "bytes") == 0) {
        return cli_usage_error(p->session,
            "--device cannot be combined with --balance bytes; it expects time|latency");
    }
    return refuse_numbers(p);
}
