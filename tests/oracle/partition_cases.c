/* Cases for the partitioner: random ones, and how a case becomes a text. */
#include "tests/oracle/partition.h"

#include <inttypes.h>
#include <math.h>

static part_set bit(uint32_t v)
{
    return (part_set)1 << v;
}

/* ---- random graphs ---- */

static void random_inputs(t_rng *rng, part_case *c, uint32_t v, uint32_t window)
{
    uint32_t k = t_below(rng, 4u);
    while (k-- != 0u && v != 0u) {
        uint32_t const span = v < window || t_chance(rng, 25) ? v : window;
        c->in[v] |= bit(v - 1u - t_below(rng, span));
    }
}

static void random_nodes(t_rng *rng, uint32_t most_calls, part_case *c)
{
    uint32_t const calls = 1u + t_below(rng, most_calls);
    uint32_t const leaves = t_below(rng, 30u);
    uint32_t const tables = c->mode == PART_SPARSE ? t_below(rng, 40u) : 10u;
    uint32_t const window = 1u + t_below(rng, 8u);
    uint32_t done = 0;
    part_set read = 0;
    uint32_t v;
    for (v = 0; done < calls && v < PART_NODES; v++) {
        c->n = v + 1u;
        if ((v == 0u && t_chance(rng, 80)) || t_chance(rng, leaves)) {
            c->op[v] = t_chance(rng, 50) ? PART_INPUT : PART_ATTRIBUTE;
            continue;
        }
        c->op[v] = t_chance(rng, tables) ? PART_EMBEDDING
                   : t_chance(rng, 30)   ? PART_MODULE
                                         : PART_CALL;
        random_inputs(rng, c, v, window);
        read |= c->in[v];
        done++;
    }
    for (v = 0; v < c->n; v++) {
        if (t_chance(rng, (read >> v & 1u) != 0u ? 10u : 80u)) {
            c->returned |= bit(v);
        }
    }
}

/* Bytes: few different values, so that sums are often equal, or many. Some weigh nothing. */
static void random_bytes(t_rng *rng, part_case *c)
{
    static const uint32_t spreads[] = {2, 5, 40, 1000};
    uint32_t const spread = spreads[t_below(rng, 4u)];
    uint32_t const nothing = t_chance(rng, 30) ? t_below(rng, 60u) : 3u;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        c->bytes[v] = t_chance(rng, nothing) ? 0u : 4u * t_below(rng, spread);
        if (c->op[v] == PART_MODULE || c->op[v] == PART_EMBEDDING) {
            c->params[v] = t_chance(rng, nothing) ? 0u : 3u * t_below(rng, spread);
        }
        if (c->mode == PART_SPARSE && c->op[v] == PART_EMBEDDING) {
            c->params[v] *= 20u;
        }
    }
}

/* Seconds: small numbers whose sums are often equal, or ones that round at every sum. */
static double random_seconds(t_rng *rng, uint32_t kind)
{
    double const fine = (double)(t_random(rng) >> 11) * 0x1p-53;
    switch (kind) {
    case 0:
        return (double)t_below(rng, 3u);
    case 1:
        return (double)t_below(rng, 10u) * 0.1;
    case 2:
        return fine;
    default:
        return ldexp(fine, (int)t_below(rng, 120u) - 60);
    }
}

static void random_latencies(t_rng *rng, part_case *c)
{
    uint32_t const kind = t_below(rng, 4u);
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        if (part_callable(c, v) && t_chance(rng, 90)) {
            c->mem[v] = random_seconds(rng, kind);
            c->compute[v] = random_seconds(rng, kind);
        }
    }
}

/* ---- random devices ---- */

/* `equal`: all of one size. Together they are mostly a little larger than the graph. */
static void random_devices(t_rng *rng, part_case *c, int equal)
{
    uint64_t total = 0;
    uint32_t const share = 20u + t_below(rng, 70u);
    uint32_t v;
    uint32_t d;
    for (v = 0; v < c->n; v++) {
        total += c->bytes[v] + c->params[v];
    }
    c->n_devices = 1u + t_below(rng, PART_DEVICES);
    for (d = 0; d < c->n_devices; d++) {
        uint32_t const per_cent = equal ? share : share / 3u + t_below(rng, share);
        c->capacity[d] = total * per_cent / 100u;
        c->device_id[d] = d;
    }
    for (d = 0; d < c->n_devices && t_chance(rng, 20); d++) { /* any numbers, in any order */
        c->device_id[d] = 7u * ((d + 3u) % c->n_devices) + 1u;
    }
    for (v = 0; v < c->n_devices; v++) {
        for (d = 0; d < v; d++) {
            if (c->device_id[d] == c->device_id[v]) {
                c->device_id[v] = 100u + v;
            }
        }
    }
}

/* Parts of the graph in order, mostly; otherwise anything, cycles included. */
static void random_assignment(t_rng *rng, part_case *c)
{
    uint32_t const parts = 1u + t_below(rng, 4u);
    int const contiguous = t_chance(rng, 75);
    uint32_t const shift = t_chance(rng, 30) ? t_below(rng, 20u) : 0u;
    uint32_t v;
    for (v = 0; v < c->n; v++) {
        uint32_t const id = contiguous ? v * parts / c->n : t_below(rng, parts);
        c->assign[v] = shift + 3u * id;
        c->aot_devices[c->assign[v]] |= bit(t_below(rng, c->n_devices));
    }
}

void part_random(t_rng *rng, part_mode mode, uint32_t most_calls, part_case *c)
{
    static const double rates[] = {1.0, 50.0, 1000.0, 3.7e9, 1e-3};
    memset(c, 0, sizeof(*c));
    c->mode = mode;
    random_nodes(rng, most_calls, c);
    random_bytes(rng, c);
    random_latencies(rng, c);
    random_devices(rng, c, mode == PART_SPARSE ? t_chance(rng, 97) : t_chance(rng, 40));
    c->rate = t_chance(rng, 12) ? HUGE_VAL : rates[t_below(rng, 5u)];
    c->saturate = (uint32_t)t_chance(rng, 25);
    c->sweeps = mode == PART_KL ? 1u + t_below(rng, 2u) : 1u;
    if (mode == PART_AOT) {
        random_assignment(rng, c);
    }
}

/* ---- text ---- */

static void put_args(t_string *s, const part_case *c, uint32_t v)
{
    const char *comma = "";
    char text[32];
    uint32_t u;
    uint32_t n = 0;
    for (u = 0; u < c->n; u++) {
        if ((c->in[v] >> u & 1u) != 0u) {
            snprintf(text, sizeof(text), "%s%%n%u", comma, (unsigned)u);
            t_puts(s, text);
            comma = ", ";
            n++;
        }
    }
    t_puts(s, n == 1u ? "," : "");
}

static void put_node(t_string *s, const part_case *c, uint32_t v)
{
    static const char *const names[] = {
        "placeholder", "get_attr", "call_function", "call_module", "call_module"};
    char text[256];
    snprintf(text, sizeof(text), "    %%n%u : [num_users=0] = %s[target=%s%u]", (unsigned)v,
        names[c->op[v]], c->op[v] == PART_CALL ? "torch.f" : "n", (unsigned)v);
    t_puts(s, text);
    if (part_callable(c, v)) {
        t_puts(s, "(args = (");
        put_args(s, c, v);
        t_puts(s, "), kwargs = {})");
    }
    snprintf(text, sizeof(text), "  # f32[1] bytes=%" PRIu64, c->bytes[v]);
    t_puts(s, text);
    if (c->op[v] == PART_MODULE || c->op[v] == PART_EMBEDDING) {
        snprintf(text, sizeof(text), " module=%s params=%" PRIu64,
            c->op[v] == PART_MODULE ? "torch.nn.Linear" : "torch.nn.EmbeddingBag", c->params[v]);
        t_puts(s, text);
    }
    if (part_callable(c, v)) {
        snprintf(text, sizeof(text), " mem=%.17g compute=%.17g", c->mem[v], c->compute[v]);
        t_puts(s, text);
    }
    t_puts(s, "\n");
}

t_string part_text(const part_case *c)
{
    t_string s = {NULL, 0u, 0u};
    const char *comma = "";
    char text[32];
    uint32_t v;
    t_puts(&s, "graph():\n");
    for (v = 0; v < c->n; v++) {
        put_node(&s, c, v);
    }
    t_puts(&s, "    return (");
    for (v = 0; v < c->n; v++) {
        if ((c->returned >> v & 1u) != 0u) {
            snprintf(text, sizeof(text), "%sn%u", comma, (unsigned)v);
            t_puts(&s, text);
            comma = ", ";
        }
    }
    /* A tuple of one has a comma. */
    t_puts(&s, c->returned != 0u && (c->returned & (c->returned - 1u)) == 0u ? ",)\n" : ")\n");
    return s;
}
