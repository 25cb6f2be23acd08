/* Lifetimes from a CSV file, and plans smaller than greedy ones. */
#include "commands/memory/memory.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading ---- */

enum { ID, LOWER, UPPER, SIZE, ALIGNMENT, OFFSET, TRAFFIC, MEMORY, GAPS, TOGETHER, APART, COLUMNS };

static const char *const columns[COLUMNS] = {"id", "lower", "upper", "size", "alignment", "offset",
    "traffic", "memory", "gaps", "together", "apart"};

static const char wanted[] =
    "expected the columns id,lower,upper,size[,alignment][,offset][,gaps][,together][,apart]";

typedef struct reader {
    memory *m;
    gsp_str rest;
    uint32_t line;
    uint32_t order[COLUMNS]; /* the columns of the file */
    uint32_t n_columns;
    gsp_str cell[COLUMNS]; /* of a line; no data: no such column */
} reader;

/* The next line that is not empty, or 0. */
static int next_line(reader *r, gsp_str *line)
{
    do {
        if (r->rest.size == 0) {
            return 0;
        }
        r->line++;
        *line = memory_cut(&r->rest, '\n');
    } while (line->size == 0);
    return 1;
}

static int wrong(const reader *r, const char *sentence, gsp_str text)
{
    return cli_error(r->m->session, GSP_STATUS_PARSE, "%s:%" PRIu32 ": %s, got '%s'",
        r->m->session->path, r->line, sentence, cli_copy(r->m->session, text));
}

static int read_header(reader *r)
{
    gsp_str line;
    uint32_t seen = 0;
    if (!next_line(r, &line)) {
        return cli_error(r->m->session, GSP_STATUS_EMPTY,
            "%s is empty; expected id,lower,upper,size", r->m->session->path);
    }
    gsp_str rest = line;
    while (rest.size != 0) {
        gsp_str name = memory_cut(&rest, ',');
        uint32_t c = 0;
        while (c < COLUMNS && !gsp_str_equal(name, gsp_str_of(columns[c]))) {
            c++;
        }
        if (c == COLUMNS || (seen >> c & 1u) != 0) {
            return wrong(r, wanted, line);
        }
        seen |= 1u << c;
        r->order[r->n_columns++] = c;
    }
    if ((seen & (1u << TRAFFIC | 1u << MEMORY)) != 0 && r->m->several.n == 0) {
        return wrong(r, "the columns traffic and memory require --memory", line);
    }
    if (seen >> GAPS != 0 && r->m->several.n != 0) {
        return wrong(
            r, "gaps, together and apart, of one arena, cannot be combined with --memory", line);
    }
    r->m->has_pairs = seen >> TOGETHER != 0;
    return (seen & 15u) == 15u ? CLI_EXIT_OK : wrong(r, wanted, line);
}

/* A number of a column, at most `most`. An empty cell gives `absent`. */
static int read_number(
    const reader *r, uint32_t column, uint64_t most, uint64_t absent, uint64_t *number)
{
    gsp_str text = r->cell[column];
    uint32_t i;
    *number = text.size == 0 ? absent : 0u;
    for (i = 0; i < text.size; i++) {
        uint32_t digit = (uint32_t)(unsigned char)text.data[i] - '0';
        if (digit > 9u || *number > (most - digit) / 10u) {
            break;
        }
        *number = *number * 10u + digit;
    }
    if (i < text.size || (text.size == 0 && column < ALIGNMENT)) {
        return cli_error(r->m->session, GSP_STATUS_PARSE,
            "%s:%" PRIu32 ": %s expects a number up to %" PRIu64 ", got '%s'", r->m->session->path,
            r->line, columns[column], most, cli_copy(r->m->session, text));
    }
    return CLI_EXIT_OK;
}

/* Gaps, LOWER-UPPER each: the tensor that was added last continues after each of them. */
static int read_gaps(reader *r)
{
    memory *m = r->m;
    gsp_str const none = {NULL, 0};
    gsp_str rest = r->cell[GAPS];
    while (rest.size != 0) {
        uint32_t const n = m->memory_plan.n_tensors;
        gsp_tensor *t = &m->tensors[n - 1u];
        gsp_str upper = memory_cut(&rest, ' ');
        gsp_str const gap = upper;
        gsp_str const lower = memory_cut(&upper, '-');
        uint64_t begin = 0;
        uint64_t end = 0;
        int const good = gsp_str_number(lower, &begin) && gsp_str_number(upper, &end);
        if (gap.size != 0 && memchr(gap.data, '@', gap.size) != NULL) {
            return wrong(r, "expected gaps in which all bytes are free, without a window", gap);
        }
        if (gap.size != 0 && (!good || begin <= t->begin || end <= begin || end > t->end)) {
            return wrong(r, "expected ascending gaps inside the lifetime, such as 3-5 8-9", gap);
        }
        if (gap.size != 0) {
            m->ids[n] = m->ids[n - 1u];
            m->aligns[n] = m->aligns[n - 1u];
            m->resumed[n] = 1;
            m->together[n] = m->apart[n] = none;
            m->tensors[n] = *t;
            m->tensors[n].begin = (uint32_t)end;
            t->end = (uint32_t)begin - 1u;
            m->memory_plan.n_tensors++;
        }
    }
    return CLI_EXIT_OK;
}

static int read_tensor(reader *r, gsp_str line)
{
    memory *m = r->m;
    uint32_t const n = m->memory_plan.n_tensors++;
    uint64_t number[COLUMNS] = {0};
    uint32_t i;
    for (i = 0; i < COLUMNS; i++) {
        r->cell[i].data = line.data;
        r->cell[i].size = 0;
    }
    for (i = 0; i < r->n_columns; i++) {
        r->cell[r->order[i]] = memory_cut(&line, ',');
    }
    if (line.size != 0) {
        return wrong(r, "expected the end of the line", line);
    }
    for (i = LOWER; i < MEMORY; i++) {
        uint64_t most = i < SIZE ? UINT32_MAX : i == ALIGNMENT ? 1u << 30 : UINT64_MAX / 4u;
        uint64_t absent = i == OFFSET ? UINT64_MAX : i == TRAFFIC ? 2u * number[SIZE] : 0u;
        int code = read_number(r, i, most, absent, &number[i]);
        if (code != CLI_EXIT_OK) {
            return code;
        }
    }
    if (number[UPPER] <= number[LOWER]) {
        return wrong(r, "expected lower before upper", r->cell[UPPER]);
    }
    if (r->cell[ALIGNMENT].size == 0) {
        number[ALIGNMENT] = m->several.n != 0 ? 1u : m->opt.align;
    }
    if (number[ALIGNMENT] == 0 || (number[ALIGNMENT] & (number[ALIGNMENT] - 1u)) != 0) {
        return wrong(r, "expected a power of two as alignment", r->cell[ALIGNMENT]);
    }
    m->ids[n] = r->cell[ID];
    m->tensors[n].node = n;
    m->tensors[n].begin = (uint32_t)number[LOWER];
    m->tensors[n].end = (uint32_t)number[UPPER] - 1u;
    m->tensors[n].bytes = number[SIZE];
    m->aligns[n] = (uint32_t)number[ALIGNMENT];
    m->fixed[n] = number[OFFSET] != UINT64_MAX;
    m->tensors[n].offset = m->fixed[n] ? number[OFFSET] : 0u;
    m->traffic[n] = number[TRAFFIC];
    m->cells[n] = r->cell[MEMORY];
    m->together[n] = r->cell[TOGETHER];
    m->apart[n] = r->cell[APART];
    return read_gaps(r);
}

/* Tensors live longer, up to where they are live again. */
static void extend(const memory *m)
{
    uint32_t const n = m->memory_plan.n_tensors;
    for (uint32_t i = 0; i < n; i++) {
        gsp_tensor *t = &m->tensors[i];
        uint32_t const last = i + 1u < n && m->resumed[i + 1u] ? t[1].begin - 1u : UINT32_MAX - 1u;
        t->end = m->opt.reuse_after < last - t->end ? t->end + (uint32_t)m->opt.reuse_after : last;
    }
}

int memory_csv_read(memory *m)
{
    cli_session *s = m->session;
    reader r;
    char *data;
    size_t size;
    size_t lines = 1;
    size_t i;
    gsp_str line;
    memset(&r, 0, sizeof r);
    r.m = m;
    int code = cli_file_read(s, s->path, &data, &size);
    if (code != CLI_EXIT_OK) {
        return code;
    }
    for (i = 0; i < size; i++) {
        lines += data[i] == '\n' || data[i] == '-'; /* or a gap */
    }
    if (size > UINT32_MAX) {
        return cli_error(s, GSP_STATUS_LIMIT, "%s has more than 4 GiB", s->path);
    }
    r.rest.data = data;
    r.rest.size = (uint32_t)size;
    m->tensors = (gsp_tensor *)cli_alloc(s, lines, sizeof *m->tensors);
    m->aligns = (uint32_t *)cli_alloc(s, lines, sizeof *m->aligns);
    m->fixed = (uint32_t *)cli_alloc(s, lines, sizeof *m->fixed);
    m->resumed = (uint32_t *)cli_alloc(s, lines, sizeof *m->resumed);
    m->ids = (gsp_str *)cli_alloc(s, lines, sizeof *m->ids);
    m->cells = (gsp_str *)cli_alloc(s, lines, sizeof *m->cells);
    m->together = (gsp_str *)cli_alloc(s, lines, sizeof *m->together);
    m->apart = (gsp_str *)cli_alloc(s, lines, sizeof *m->apart);
    m->traffic = (uint64_t *)cli_alloc(s, lines, sizeof *m->traffic);
    code = read_header(&r);
    while (code == CLI_EXIT_OK && next_line(&r, &line)) {
        code = read_tensor(&r, line);
    }
    m->memory_plan.tensors = m->tensors;
    extend(m);
    return code == CLI_EXIT_OK && m->has_pairs ? memory_pairs_read(m) : code;
}

static uint64_t align_of(const memory *m, uint32_t i)
{
    uint64_t own = m->aligns != NULL ? m->aligns[i] : 1u;
    uint64_t least = m->several.n != 0   ? m->several.list[m->several.result.memory[i]].align
                     : m->aligns != NULL ? 1u
                                         : m->opt.align;
    return own > least ? own : least;
}

uint32_t memory_stretches(const memory *m)
{
    uint32_t n = 0;
    uint32_t i;
    for (i = 0; i < m->memory_plan.n_tensors && m->resumed != NULL; i++) {
        n += m->resumed[i];
    }
    return n;
}

/* The last stretch of a tensor; with `out`, writes the gaps before it. */
static const gsp_tensor *last_stretch(const memory *m, uint32_t i, cli_buffer *out)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    for (; i + 1u < r->n_tensors && m->resumed != NULL && m->resumed[i + 1u] != 0; i++) {
        if (out != NULL) {
            cli_printf(out, "%" PRIu64 "-%" PRIu32 " ", (uint64_t)r->tensors[i].end + 1u,
                r->tensors[i + 1u].begin);
        }
    }
    return &r->tensors[i];
}

void memory_csv_write(const memory *m, cli_buffer *out)
{
    const memory_several *all = &m->several;
    int const has_gaps = memory_stretches(m) != 0;
    uint32_t i;
    cli_puts(out, "id,lower,upper,size,alignment,offset");
    cli_puts(out, all->n != 0 ? ",traffic,memory" : has_gaps ? ",gaps" : "");
    cli_puts(out, m->has_pairs ? ",together,apart\n" : "\n");
    for (i = 0; i < m->memory_plan.n_tensors; i++) {
        const gsp_tensor *t = &m->memory_plan.tensors[i];
        if (m->resumed != NULL && m->resumed[i] != 0) {
            continue;
        }
        cli_put_text(out, memory_tensor_name(m, t));
        if (all->n != 0 && all->kind[i] == MEMORY_COPY) { /* a parameter may have several */
            cli_printf(out, "@%" PRIu32, t->end);
        }
        cli_printf(out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, t->begin,
            (uint64_t)last_stretch(m, i, NULL)->end + 1u, t->bytes, align_of(m, i), t->offset);
        if (all->n != 0) {
            cli_printf(out, ",%" PRIu64 ",", all->traffic[i]);
            cli_put_text(out, all->names[all->result.memory[i]]);
        }
        if (has_gaps) {
            cli_puts(out, ",");
            (void)last_stretch(m, i, out);
        }
        if (m->has_pairs) {
            cli_puts(out, ",");
            cli_put_text(out, m->together[i]);
            cli_puts(out, ",");
            cli_put_text(out, m->apart[i]);
        }
        cli_puts(out, "\n");
    }
}

/* ---- the search ---- */

static gsp_memory_pack_desc pack_desc(const memory *m)
{
    gsp_memory_pack_desc desc = {0};
    desc.align = (uint32_t)m->opt.align;
    desc.capacity = m->opt.capacity == UINT64_MAX ? 0u : m->opt.capacity;
    desc.max_work = m->searches ? m->max_work : 1u;
    return desc;
}

/* Steps that tensors live on average. With more, a unit of work takes longer: LONG for the work
 * that the program sets, VERY_LONG for the planner's own, which depends on their number alone. */
#define LONG      128u
#define VERY_LONG 512u

/* The work that the program chooses is less where tensors live for long. */
static void limit_work(const memory *m, gsp_memory_pack_desc *desc)
{
    uint32_t const n = m->memory_plan.n_tensors;
    uint64_t steps = 0;
    uint32_t i;
    for (i = 0; i < n; i++) {
        const gsp_tensor *t = &m->memory_plan.tensors[i];
        steps += (uint64_t)t->end - t->begin + 1u;
    }
    if (!m->opt.exact.given && desc->max_work > 1u && steps / LONG > n) {
        desc->max_work = desc->max_work / (steps / n) * LONG + 1u;
    } else if (desc->max_work == 0u && n > VERY_LONG && steps / VERY_LONG > n) {
        uint64_t const each = steps / n < n ? steps / n : n;
        desc->max_work = ((uint64_t)1u << 34) / n / each * VERY_LONG;
    }
}

size_t memory_pack_bound(const memory *m, uint32_t n_tensors)
{
    gsp_memory_pack_desc desc = pack_desc(m);
    return gsp_memory_pack_bound(n_tensors, &desc);
}

/* Of a graph: first fit by size, which the planner leaves out where it takes long. */
static void try_first_fit(memory *m)
{
    gsp_memory_plan_result *r = &m->memory_plan;
    gsp_tensor *tensors =
        (gsp_tensor *)cli_alloc(m->session, (size_t)r->n_tensors + 1u, sizeof *tensors);
    uint64_t bytes;
    memcpy(tensors, r->tensors, r->n_tensors * sizeof *tensors);
    if (cli_fit(m->session, tensors, r->n_tensors, (uint32_t)m->opt.align, NULL, &bytes) &&
        bytes < r->arena) {
        r->tensors = tensors;
        r->arena = bytes;
    } else {
        cli_release(m->session, tensors);
    }
}

gsp_status memory_pack(memory *m, gsp_arena *arena, gsp_error *err)
{
    gsp_memory_plan_result *r = &m->memory_plan;
    uint64_t const greedy = r->arena;
    if (m->searches && r->arena > r->peak) {
        try_first_fit(m);
    }
    gsp_memory_pack_desc desc = pack_desc(m);
    gsp_memory_pack_result found;
    gsp_status status;
    limit_work(m, &desc);
    desc.progress = cli_search_asked;
    desc.progress_user = m->session;
    cli_search_begin();
    status = gsp_memory_pack_run(arena, r->tensors, r->n_tensors, &desc, &found, err);
    cli_search_end();
    if (status != GSP_OK) {
        return status;
    }
    if (found.stopped != 0) {
        cli_search_told(m->session, "the arena is the smallest");
    }
    m->greedy = greedy;
    m->lower_bound = found.lower_bound;
    if (found.bytes < r->arena) {
        uint32_t i;
        if (m->improved == NULL) {
            m->improved =
                (gsp_tensor *)cli_alloc(m->session, (size_t)r->n_tensors + 1u, sizeof *m->improved);
        }
        memcpy(m->improved, r->tensors, r->n_tensors * sizeof *m->improved);
        for (i = 0; i < r->n_tensors; i++) {
            m->improved[i].offset = found.offsets[i];
        }
        r->tensors = m->improved;
        r->arena = found.bytes;
    }
    return GSP_OK;
}

/* ---- tensors of a file ---- */

gsp_intervals_desc memory_csv_desc(const memory *m)
{
    gsp_memory_pack_desc const pack = pack_desc(m);
    gsp_intervals_desc desc = {0};
    desc.n_tensors = m->memory_plan.n_tensors;
    desc.tensors = m->memory_plan.tensors;
    desc.align = (uint32_t)m->opt.align;
    desc.aligns = m->aligns;
    desc.fixed = m->fixed;
    desc.resumed = m->resumed;
    desc.together = m->pairs[0];
    desc.n_together = m->n_pairs[0];
    desc.apart = m->pairs[1];
    desc.n_apart = m->n_pairs[1];
    desc.capacity = pack.capacity;
    desc.max_work = pack.max_work;
    return desc;
}

gsp_status memory_csv_run(memory *m, gsp_arena *arena, gsp_error *err)
{
    gsp_memory_plan_result *r = &m->memory_plan;
    gsp_intervals_desc desc = memory_csv_desc(m);
    gsp_intervals_result found;
    desc.progress = cli_search_asked;
    desc.progress_user = m->session;
    cli_search_begin();
    gsp_status const status = gsp_intervals_run(arena, &desc, &found, err);
    cli_search_end();
    if (status != GSP_OK) {
        return status;
    }
    if (found.stopped != 0) {
        cli_search_told(m->session, "the arena is the smallest");
    }
    m->greedy = found.fit;
    m->lower_bound = found.lower_bound;
    r->peak = found.peak.bytes;
    r->arena = found.bytes;
    m->planned = found.offsets;
    return GSP_OK;
}

int memory_csv_fail(memory *m, const gsp_error *err)
{
    cli_session *s = m->session;
    const char *node = err->node < m->memory_plan.n_tensors ? cli_copy(s, m->ids[err->node]) : "";
    const char *other =
        err->other < m->memory_plan.n_tensors ? cli_copy(s, m->ids[err->other]) : "";
    if (err->detail == GSP_DETAIL_SIZE) {
        return cli_error(s, GSP_STATUS_OVERFLOW, "%s: the tensors up to %s do not fit into 62 bits",
            s->path, node);
    }
    if (err->detail == GSP_DETAIL_OVERLAP) {
        return cli_error(s, GSP_STATUS_ARG, "%s: the fixed offsets of %s and %s make them overlap",
            s->path, other, node);
    }
    if (err->detail == GSP_DETAIL_RANGE) {
        int const fixed = strcmp(err->field, "fixed") == 0;
        return cli_error(s, GSP_STATUS_ARG, "%s: the tensor '%s' %s '%s'", s->path, node,
            fixed ? "is fixed at another offset than"
                  : "cannot be apart from itself or its own address:",
            other);
    }
    if (err->detail == GSP_DETAIL_TOO_MANY) {
        return cli_error(s, GSP_STATUS_LIMIT,
            "%s: the last step leaves no room for %" PRIu32 " pairs of the column apart", s->path,
            m->n_pairs[1]);
    }
    return cli_pass_error(s, NULL, err);
}

/* ---- a capacity that is too small ---- */

/* Marks a tensor, with its later stretches, for the picture. */
static void mark_misfit(const memory *m, uint32_t i)
{
    do {
        m->misfit[i] = 1;
    } while (++i < m->memory_plan.n_tensors && m->resumed != NULL && m->resumed[i] != 0);
}

int memory_pack_fits(memory *m)
{
    const gsp_memory_plan_result *r = &m->memory_plan;
    gsp_intervals_desc const desc = memory_csv_desc(m);
    gsp_intervals_misfit found;
    gsp_arena arena;
    gsp_error err;
    cli_buffer names;
    if (r->arena <= m->opt.capacity) {
        return CLI_EXIT_OK;
    }
    if (m->lower_bound <= m->opt.capacity) {
        return cli_error(m->session, GSP_STATUS_LIMIT,
            "the smallest plan found takes %" PRIu64 " bytes; whether %" PRIu64
            " suffice is open, --exact=WORK searches longer",
            r->arena, m->opt.capacity);
    }
    cli_arena(m->session, &arena, gsp_intervals_misfit_bound(&desc));
    if (gsp_intervals_misfit_run(&arena, &desc, &found, &err) != GSP_OK) {
        return cli_pass_error(m->session, NULL, &err);
    }
    m->misfit = (uint32_t *)cli_alloc(m->session, (size_t)r->n_tensors + 1u, sizeof *m->misfit);
    cli_buffer_init(&names, m->session);
    for (uint32_t i = 0; i < found.n; i++) {
        mark_misfit(m, found.tensors[i]);
        cli_puts(&names, i == 0 ? "" : ", ");
        cli_put_text(&names, memory_tensor_name(m, &r->tensors[found.tensors[i]]));
    }
    cli_put(&names, "", 1u);
    return cli_error(m->session, GSP_STATUS_NO_FIT,
        "%" PRIu32 " tensor%s do%s not fit into %" PRIu64 " bytes: %s (%" PRIu64
        " bytes at step %" PRIu32 "; %s)",
        found.n, found.n == 1u ? "" : "s", found.n == 1u ? "es" : "", m->opt.capacity, names.data,
        found.peak.bytes, found.peak.step,
        found.minimal ? "any one less and they fit" : "perhaps fewer do not fit either");
}
