/* Schedules from files. */
#include "input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST  (1u << 24) /* stages, microbatches, cells */
#define KINDS ((uint32_t)GSP_ACTION_GATHER)

typedef struct reader {
    cli_session *s;
    cli_actions *out;
    const char *text;
    size_t at;         /* in the text, */
    size_t line_begin; /* of the line, */
    size_t cell;       /* of the cell that is read */
    uint32_t n;        /* actions */
    uint32_t room;
    uint32_t most;      /* microbatches, 0 if unknown */
    uint32_t inference; /* 1 without backward */
    uint32_t *where;    /* [KINDS * stages * microbatches] actions, or GSP_NONE */
} reader;

/* ---- cells ---- */

static int wrong_cell(const reader *r, const char *what)
{
    size_t end = r->cell;
    while (end < r->at + 40u && r->text[end] != '\0' && strchr(",\r\n", r->text[end]) == NULL) {
        end++;
    }
    return cli_error(r->s, GSP_STATUS_PARSE, "%s:%" PRIu32 ":%zu: %s, got '%.*s'", r->out->path,
        r->out->n_devices + 1u, r->cell - r->line_begin + 1u, what, (int)(end - r->cell),
        r->text + r->cell);
}

static void skip_blanks(reader *r)
{
    while (r->text[r->at] == ' ' || r->text[r->at] == '\t') {
        r->at++;
    }
}

static int take(reader *r, char c)
{
    skip_blanks(r);
    if (r->text[r->at] != c) {
        return 0;
    }
    r->at++;
    return 1;
}

/* A number, GSP_NONE without digits. */
static uint32_t take_number(reader *r)
{
    uint32_t value = GSP_NONE;
    while (r->text[r->at] >= '0' && r->text[r->at] <= '9') {
        value = value == GSP_NONE ? 0u : value;
        value = value < MOST ? value * 10u + (uint32_t)(r->text[r->at] - '0') : value;
        r->at++;
    }
    return value;
}

static gsp_str take_word(reader *r)
{
    gsp_str word;
    word.data = r->text + r->at;
    word.size = 0;
    while ((r->text[r->at] >= 'A' && r->text[r->at] <= 'Z') || r->text[r->at] == '_') {
        r->at++;
        word.size++;
    }
    return word;
}

static uint32_t kind_of(gsp_str word)
{
    uint32_t kind = 0;
    while (kind < GSP_ACTION_COUNT && !gsp_str_equal(word, gsp_str_of(gsp_action_word(kind)))) {
        kind++;
    }
    return kind;
}

static void append(reader *r, const gsp_action *a)
{
    cli_actions *out = r->out;
    if (r->n == r->room) {
        r->room = r->room != 0 ? 2u * r->room : 256u;
        out->actions = (gsp_action *)cli_grow(r->s, out->actions, r->room * sizeof *out->actions);
        out->column = (uint32_t *)cli_grow(r->s, out->column, r->room * sizeof *out->column);
    }
    out->actions[r->n] = *a;
    out->column[r->n++] = (uint32_t)(r->cell - r->line_begin + 1u);
}

static int read_action(reader *r, uint32_t joined)
{
    gsp_action a;
    skip_blanks(r);
    a.stage = take_number(r);
    a.kind = kind_of(take_word(r));
    a.microbatch = take_number(r);
    a.joined = joined;
    if (a.stage == GSP_NONE || a.kind == GSP_ACTION_COUNT ||
        (a.kind < KINDS) != (a.microbatch != GSP_NONE)) {
        return wrong_cell(r, "expected an action such as 0F3 (stage, kind, microbatch)");
    }
    if (a.stage >= MOST || (a.kind < KINDS && a.microbatch >= MOST) || r->n >= MOST) {
        return wrong_cell(r, "stages, microbatches and actions are less than 2^24");
    }
    if (joined && a.kind > (uint32_t)GSP_ACTION_BACKWARD_WEIGHT) {
        return wrong_cell(r, "only forward and backward tasks overlap");
    }
    if (a.kind < KINDS && r->most != 0 && a.microbatch >= r->most) {
        return wrong_cell(r, "--microbatches names fewer than this cell");
    }
    if (r->inference && a.kind != (uint32_t)GSP_ACTION_FORWARD && a.kind < KINDS &&
        a.kind != (uint32_t)GSP_ACTION_SEND_FORWARD &&
        a.kind != (uint32_t)GSP_ACTION_RECEIVE_FORWARD) {
        return wrong_cell(r, "--inference has no backward");
    }
    append(r, &a);
    return CLI_EXIT_OK;
}

/* "(0F1;3B0)OVERLAP_F_B": two tasks that may overlap. */
static int read_overlap(reader *r)
{
    int code = read_action(r, 1u);
    if (code == CLI_EXIT_OK && !take(r, ';')) {
        return wrong_cell(r, "expected an overlap such as (0F1;3B0)OVERLAP_F_B");
    }
    code = code == CLI_EXIT_OK ? read_action(r, 1u) : code;
    if (code == CLI_EXIT_OK &&
        (!take(r, ')') || !gsp_str_equal(take_word(r), gsp_str_of("OVERLAP_F_B")))) {
        return wrong_cell(r, "expected an overlap such as (0F1;3B0)OVERLAP_F_B");
    }
    if (code == CLI_EXIT_OK) {
        r->out->actions[r->n - 1u].joined = 0;
    }
    return code;
}

/* A cell with what ends it; empty cells are steps in which the device waits. */
static int read_cell(reader *r)
{
    int code = CLI_EXIT_OK;
    skip_blanks(r);
    r->cell = r->at;
    if (r->text[r->at] != '\0' && strchr(",\r\n", r->text[r->at]) == NULL) {
        code = take(r, '(') ? read_overlap(r) : read_action(r, 0u);
    }
    skip_blanks(r);
    if (code == CLI_EXIT_OK && r->text[r->at] != '\0' && strchr(",\r\n", r->text[r->at]) == NULL) {
        return wrong_cell(r, "expected one action per cell");
    }
    return code;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 1;
    size_t i;
    for (i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

static int end_row(reader *r, size_t size)
{
    cli_actions *out = r->out;
    r->at += r->text[r->at] == '\r' ? 1u : 0u;
    if (r->at < size && r->text[r->at] != '\n') {
        return wrong_cell(r, "expected the end of the line");
    }
    if (r->n == out->begin[out->n_devices]) {
        return cli_error(r->s, GSP_STATUS_PARSE, "%s:%" PRIu32 ":1: a device without actions",
            out->path, out->n_devices + 1u);
    }
    out->begin[++out->n_devices] = r->n;
    r->line_begin = ++r->at;
    return CLI_EXIT_OK;
}

static int read_rows(reader *r, size_t size)
{
    int code = CLI_EXIT_OK;
    r->out->begin =
        (uint32_t *)cli_alloc(r->s, count_lines(r->text, size) + 1u, sizeof *r->out->begin);
    while (code == CLI_EXIT_OK && (r->at < size || r->at > r->line_begin)) {
        code = read_cell(r);
        if (code == CLI_EXIT_OK && r->text[r->at] == ',') {
            r->at++;
        } else if (code == CLI_EXIT_OK) {
            code = end_row(r, size);
        }
    }
    if (code == CLI_EXIT_OK && r->n == 0) {
        return cli_error(
            r->s, GSP_STATUS_EMPTY, "%s:1:1: a schedule without actions", r->out->path);
    }
    return code;
}

/* ---- checks ---- */

typedef struct place {
    uint32_t line;
    uint32_t column;
} place;

static place place_of(const cli_actions *a, uint32_t action)
{
    place at = {1u, a->column[action]};
    while (action >= a->begin[at.line]) {
        at.line++;
    }
    return at;
}

/* "1SEND_F0" */
static const char *spell(cli_session *s, uint32_t kind, uint32_t stage, uint32_t microbatch)
{
    char name[40];
    char number[16] = "";
    if (kind < KINDS) {
        (void)snprintf(number, sizeof number, "%" PRIu32, microbatch);
    }
    (void)snprintf(name, sizeof name, "%" PRIu32 "%s%s", stage, gsp_action_word(kind), number);
    return cli_copy(s, gsp_str_of(name));
}

static const char *spell_action(const reader *r, uint32_t action)
{
    const gsp_action *a = &r->out->actions[action];
    return spell(r->s, a->kind, a->stage, a->microbatch);
}

static int wrong_action(const reader *r, uint32_t action, const char *what, const char *other)
{
    place at = place_of(r->out, action);
    return cli_error(r->s, GSP_STATUS_ARG, "%s:%" PRIu32 ":%" PRIu32 ": %s %s %s", r->out->path,
        at.line, at.column, spell_action(r, action), what, other);
}

/* The first number from 0 that no forward task of the stage has, as its microbatch or, with stage
 * GSP_NONE, as its stage. `end` numbers are too many for the tasks, or all there. */
static uint32_t find_missing(const reader *r, uint32_t stage, uint32_t end)
{
    uint32_t n = end <= r->n ? end : r->n + 1u;
    uint8_t *seen = (uint8_t *)cli_alloc(r->s, n, 1u);
    uint32_t i;
    for (i = 0; i < r->n; i++) {
        const gsp_action *a = &r->out->actions[i];
        uint32_t number = stage == GSP_NONE ? a->stage : a->microbatch;
        if (a->kind == (uint32_t)GSP_ACTION_FORWARD && (stage == GSP_NONE || a->stage == stage) &&
            number < n) {
            seen[number] = 1u;
        }
    }
    for (i = 0; i < n && seen[i]; i++) {
    }
    cli_release(r->s, seen);
    return i < n ? i : GSP_NONE;
}

/* Every stage has a forward task of every microbatch; only then are the tables small. */
static int check_numbers(reader *r)
{
    cli_actions *out = r->out;
    uint32_t *forward;
    uint32_t last = 0;
    uint32_t missing;
    uint32_t i;
    for (i = 0; i < r->n; i++) {
        const gsp_action *a = &out->actions[i];
        if (a->stage >= out->n_stages) {
            out->n_stages = a->stage + 1u;
            last = i;
        }
        if (a->kind < KINDS && a->microbatch >= out->n_microbatches) {
            out->n_microbatches = a->microbatch + 1u;
        }
    }
    out->n_microbatches = r->most != 0 ? r->most : out->n_microbatches;
    missing = find_missing(r, GSP_NONE, out->n_stages);
    if (missing != GSP_NONE) {
        return wrong_action(
            r, last, "is there, and no device runs", spell(r->s, GSP_ACTION_FORWARD, missing, 0u));
    }
    forward = (uint32_t *)cli_alloc(r->s, out->n_stages, sizeof *forward);
    for (i = 0; i < r->n; i++) {
        const gsp_action *a = &out->actions[i];
        forward[a->stage] += a->kind == (uint32_t)GSP_ACTION_FORWARD;
    }
    for (i = 0; i < r->n; i++) {
        uint32_t stage = out->actions[i].stage;
        if (forward[stage] < out->n_microbatches) {
            return wrong_action(r, i, "is there, and its stage lacks",
                spell(
                    r->s, GSP_ACTION_FORWARD, stage, find_missing(r, stage, out->n_microbatches)));
        }
    }
    return CLI_EXIT_OK;
}

static uint32_t *slot(const reader *r, uint32_t kind, uint32_t stage, uint32_t microbatch)
{
    const cli_actions *a = r->out;
    return &r->where[((size_t)kind * a->n_stages + stage) * a->n_microbatches + microbatch];
}

/* Puts every action into its place in the table. */
static int check_once(reader *r)
{
    cli_actions *out = r->out;
    size_t size = (size_t)KINDS * out->n_stages * out->n_microbatches;
    uint32_t device = 0;
    uint32_t i;
    r->where = (uint32_t *)cli_alloc(r->s, size, sizeof *r->where);
    memset(r->where, 0xFF, size * sizeof *r->where);
    out->device_of = (uint32_t *)cli_alloc(r->s, out->n_stages, sizeof *out->device_of);
    memset(out->device_of, 0xFF, out->n_stages * sizeof *out->device_of);
    for (i = 0; i < r->n; i++) {
        const gsp_action *a = &out->actions[i];
        char text[60];
        device += i >= out->begin[device + 1u];
        if (out->device_of[a->stage] == GSP_NONE) {
            out->device_of[a->stage] = device;
        }
        if (out->device_of[a->stage] != device) {
            (void)snprintf(text, sizeof text, "%" PRIu32, out->device_of[a->stage] + 1u);
            return wrong_action(
                r, i, "is of a stage that is also on line", cli_copy(r->s, gsp_str_of(text)));
        }
        if (a->kind < KINDS) {
            uint32_t *at = slot(r, a->kind, a->stage, a->microbatch);
            if (*at != GSP_NONE) {
                (void)snprintf(text, sizeof text, "%" PRIu32, out->column[*at]);
                return wrong_action(
                    r, i, "is given twice, first in column", cli_copy(r->s, gsp_str_of(text)));
            }
            *at = i;
            out->sends |= a->kind >= (uint32_t)GSP_ACTION_SEND_FORWARD;
        }
    }
    return CLI_EXIT_OK;
}

/* An action needs another of its microbatch, if `before` earlier in the row. */
static int need(const reader *r, uint32_t i, uint32_t kind, uint32_t stage, int before)
{
    uint32_t microbatch = r->out->actions[i].microbatch;
    uint32_t other = *slot(r, kind, stage, microbatch);
    if (other == GSP_NONE) {
        return wrong_action(r, i, "is there without", spell(r->s, kind, stage, microbatch));
    }
    if (before && other > i) {
        return wrong_action(r, i, "comes before", spell_action(r, other));
    }
    return CLI_EXIT_OK;
}

/* Between a stage and the next (or, of gradients, the one before): on other devices, only what is
 * received there is an input. */
static int is_moved(const reader *r, uint32_t stage, uint32_t next)
{
    const cli_actions *a = r->out;
    return a->sends && next < a->n_stages && a->device_of[stage] != a->device_of[next];
}

static int check_forward(const reader *r, uint32_t i)
{
    const gsp_action *a = &r->out->actions[i];
    int code = CLI_EXIT_OK;
    if (is_moved(r, a->stage, a->stage - 1u)) {
        code = need(r, i, GSP_ACTION_RECEIVE_FORWARD, a->stage, 1);
    }
    if (code == CLI_EXIT_OK && is_moved(r, a->stage, a->stage + 1u)) {
        code = need(r, i, GSP_ACTION_SEND_FORWARD, a->stage, 0);
    }
    if (code == CLI_EXIT_OK && !r->inference &&
        *slot(r, GSP_ACTION_BACKWARD_INPUT, a->stage, a->microbatch) == GSP_NONE) {
        code = need(r, i, GSP_ACTION_BACKWARD, a->stage, 0);
    }
    return code;
}

static int check_backward(const reader *r, uint32_t i)
{
    const gsp_action *a = &r->out->actions[i];
    int code = need(r, i, GSP_ACTION_FORWARD, a->stage, 1);
    if (code == CLI_EXIT_OK && is_moved(r, a->stage, a->stage + 1u)) {
        code = need(r, i, GSP_ACTION_RECEIVE_BACKWARD, a->stage, 1);
    }
    if (code == CLI_EXIT_OK && is_moved(r, a->stage, a->stage - 1u)) {
        code = need(r, i, GSP_ACTION_SEND_BACKWARD, a->stage, 0);
    }
    if (code == CLI_EXIT_OK && a->kind == (uint32_t)GSP_ACTION_BACKWARD_INPUT) {
        code = *slot(r, GSP_ACTION_BACKWARD, a->stage, a->microbatch) != GSP_NONE
                   ? wrong_action(
                         r, i, "repeats", spell(r->s, GSP_ACTION_BACKWARD, a->stage, a->microbatch))
                   : need(r, i, GSP_ACTION_BACKWARD_WEIGHT, a->stage, 0);
    }
    return code;
}

static int check_transfer(const reader *r, uint32_t i)
{
    const gsp_action *a = &r->out->actions[i];
    int sends = a->kind <= (uint32_t)GSP_ACTION_SEND_BACKWARD;
    int back = a->kind == (uint32_t)GSP_ACTION_SEND_BACKWARD ||
               a->kind == (uint32_t)GSP_ACTION_RECEIVE_BACKWARD;
    uint32_t other = sends != back ? a->stage + 1u : a->stage - 1u;
    uint32_t task = back ? GSP_ACTION_BACKWARD : GSP_ACTION_FORWARD;
    int code;
    if (!is_moved(r, a->stage, other)) {
        return wrong_action(r, i, "has no stage of another device", "to transfer to or from");
    }
    if (!sends) {
        return need(r, i, back ? GSP_ACTION_SEND_BACKWARD : GSP_ACTION_SEND_FORWARD, other, 0);
    }
    if (back && *slot(r, GSP_ACTION_BACKWARD_INPUT, a->stage, a->microbatch) != GSP_NONE) {
        task = GSP_ACTION_BACKWARD_INPUT;
    }
    code = need(r, i, task, a->stage, 1);
    return code != CLI_EXIT_OK
               ? code
               : need(r, i, back ? GSP_ACTION_RECEIVE_BACKWARD : GSP_ACTION_RECEIVE_FORWARD, other,
                     0);
}

static int check_order(const reader *r)
{
    int code = CLI_EXIT_OK;
    uint32_t i;
    for (i = 0; i < r->n && code == CLI_EXIT_OK; i++) {
        const gsp_action *a = &r->out->actions[i];
        switch (a->kind) {
        case GSP_ACTION_FORWARD:
            code = check_forward(r, i);
            break;
        case GSP_ACTION_BACKWARD:
        case GSP_ACTION_BACKWARD_INPUT:
            code = check_backward(r, i);
            break;
        case GSP_ACTION_BACKWARD_WEIGHT:
            code = need(r, i, GSP_ACTION_BACKWARD_INPUT, a->stage, 1);
            break;
        default:
            code = a->kind < KINDS ? check_transfer(r, i) : CLI_EXIT_OK;
            break;
        }
    }
    return code;
}

/* ---- sends that wait for their receives, as those of NCCL and of MPI_Ssend() ---- */

/* The other end of a transfer: a receive of a send, or the send of a receive. */
static uint32_t other_end(const reader *r, const gsp_action *a)
{
    int const sends = a->kind <= (uint32_t)GSP_ACTION_SEND_BACKWARD;
    int const back = a->kind == (uint32_t)GSP_ACTION_SEND_BACKWARD ||
                     a->kind == (uint32_t)GSP_ACTION_RECEIVE_BACKWARD;
    uint32_t const kind = sends ? a->kind + 2u : a->kind - 2u;
    return *slot(r, kind, sends != back ? a->stage + 1u : a->stage - 1u, a->microbatch);
}

static int is_transfer(const gsp_action *a)
{
    return a->kind >= (uint32_t)GSP_ACTION_SEND_FORWARD && a->kind < KINDS;
}

/* Runs a device until a transfer waits, and the other ends of those that do not. */
static void run_transfers(
    const reader *r, uint32_t *at, uint32_t *waiting, uint8_t *is_waiting, uint32_t n)
{
    const cli_actions *out = r->out;
    while (n > 0) {
        uint32_t const k = waiting[--n];
        is_waiting[k] = 0;
        while (at[k] < out->begin[k + 1u]) {
            const gsp_action *a = &out->actions[at[k]];
            if (is_transfer(a)) {
                uint32_t const end = other_end(r, a);
                uint32_t const device = out->device_of[out->actions[end].stage];
                if (at[device] != end) {
                    break;
                }
                at[device]++;
                waiting[n] = device;
                n += is_waiting[device] ? 0u : 1u;
                is_waiting[device] = 1;
            }
            at[k]++;
        }
    }
}

/* "device 0 stops at 0SEND_F1 (line 1, column 25)" */
static void put_stop(const reader *r, cli_buffer *b, uint32_t device, uint32_t action)
{
    place const at = place_of(r->out, action);
    cli_printf(b, "device %" PRIu32 " stops at %s (line %" PRIu32 ", column %" PRIu32 ")", device,
        spell_action(r, action), at.line, at.column);
}

static void check_blocking(reader *r)
{
    cli_actions *out = r->out;
    uint32_t const n = out->n_devices;
    uint32_t *at = (uint32_t *)cli_alloc(r->s, n, sizeof *at);
    uint32_t *waiting = (uint32_t *)cli_alloc(r->s, n + 1u, sizeof *waiting);
    uint8_t *is_waiting = (uint8_t *)cli_alloc(r->s, n, 1u);
    cli_buffer b;
    uint32_t k;
    uint32_t other = 0;
    uint32_t i;
    for (k = 0; k < n; k++) {
        at[k] = out->begin[k];
        waiting[k] = n - 1u - k;
        is_waiting[k] = 1;
    }
    run_transfers(r, at, waiting, is_waiting, n);
    for (k = 0; k < n && at[k] == out->begin[k + 1u]; k++) {
    }
    for (i = 0; i <= n && k < n; i++) { /* after as many steps it is on a cycle */
        other = out->device_of[out->actions[other_end(r, &out->actions[at[k]])].stage];
        k = i < n ? other : k;
    }
    if (k < n) {
        cli_buffer_init(&b, r->s);
        put_stop(r, &b, k, at[k]);
        cli_puts(&b, ", and ");
        put_stop(r, &b, other, at[other]);
        cli_put(&b, "", 1u);
        out->blocked = b.data;
    }
}

void cli_actions_tell(cli_session *s, const cli_actions *from)
{
    cli_buffer b;
    if (from->blocked != NULL) {
        cli_buffer_init(&b, s);
        cli_printf(&b,
            "%s: %s: deadlock, if a send waits for its receive: %s; sends are taken as buffered\n",
            s->front->program, from->path, from->blocked);
        cli_progress_end(s);
        cli_tell(&b);
    }
}

/* Leaves what gsp_schedule_run() takes. */
static void drop_rest(reader *r)
{
    cli_actions *out = r->out;
    uint32_t n = 0;
    uint32_t k;
    uint32_t i = 0;
    for (k = 0; k < out->n_devices; k++) {
        for (; i < out->begin[k + 1u]; i++) {
            if (out->actions[i].kind <= (uint32_t)GSP_ACTION_SEND_BACKWARD) {
                out->column[n] = out->column[i];
                out->actions[n++] = out->actions[i];
            }
        }
        out->begin[k + 1u] = n;
    }
}

void cli_actions_use(const cli_actions *from, gsp_schedule_desc *desc)
{
    desc->n_devices = from->n_devices;
    desc->n_stages = from->n_stages;
    desc->n_microbatches = from->n_microbatches;
    desc->actions = from->actions;
    desc->action_begin = from->begin;
    desc->device_of = from->device_of;
    desc->sends = from->sends;
}

/* The input of a task, from the previous stage or (backward) the next one. */
static const char *spell_input(const reader *r, const gsp_action *a)
{
    int back = a->kind != (uint32_t)GSP_ACTION_FORWARD;
    uint32_t from = back ? a->stage + 1u : a->stage - 1u;
    uint32_t kind = back ? GSP_ACTION_BACKWARD : GSP_ACTION_FORWARD;
    if (is_moved(r, a->stage, from)) {
        kind = back ? GSP_ACTION_SEND_BACKWARD : GSP_ACTION_SEND_FORWARD;
    } else if (back && *slot(r, kind, from, a->microbatch) == GSP_NONE) {
        kind = GSP_ACTION_BACKWARD_INPUT;
    }
    return spell(r->s, kind, from, a->microbatch);
}

static int dead_lock(const reader *r, const gsp_error *err)
{
    place at = place_of(r->out, err->node);
    place other = place_of(r->out, err->other);
    char text[160] = "it";
    if (err->node != err->other) {
        (void)snprintf(text, sizeof text,
            "%s of line %" PRIu32 ", column %" PRIu32
            ", and that waits in turn for what comes after %s",
            spell_action(r, err->other), other.line, other.column, spell_action(r, err->node));
    }
    return cli_error(r->s, GSP_STATUS_CYCLE,
        "%s:%" PRIu32 ":%" PRIu32 ": deadlock: %s waits for %s, which comes after %s", r->out->path,
        at.line, at.column, spell_action(r, err->node), spell_input(r, &r->out->actions[err->node]),
        text);
}

/* A run with any times shows whether the order ends. */
static int check_end(const reader *r)
{
    gsp_schedule_desc d;
    gsp_schedule_result result;
    gsp_arena arena;
    gsp_error err;
    gsp_status status;
    size_t bound;
    memset(&d, 0, sizeof d);
    d.inference = r->inference;
    cli_actions_use(r->out, &d);
    bound = gsp_schedule_bound(&d);
    if (bound == SIZE_MAX) {
        return cli_error(r->s, GSP_STATUS_OVERFLOW, "%s: the schedule is too large", r->out->path);
    }
    cli_arena(r->s, &arena, bound);
    status = gsp_schedule_run(&arena, &d, &result, &err);
    if (status != GSP_STATUS_CYCLE) {
        return status == GSP_OK ? CLI_EXIT_OK : cli_pass_error(r->s, NULL, &err);
    }
    return dead_lock(r, &err);
}

int cli_actions_read(
    cli_session *s, const char *path, uint32_t microbatches, int inference, cli_actions *out)
{
    reader r;
    char *text = NULL;
    size_t size = 0;
    int code = cli_file_read(s, path, &text, &size);
    memset(&r, 0, sizeof r);
    memset(out, 0, sizeof *out);
    r.s = s;
    r.out = out;
    r.text = text;
    r.most = microbatches;
    r.inference = inference != 0;
    out->path = path;
    if (code == CLI_EXIT_OK && (code = read_rows(&r, size)) == CLI_EXIT_OK &&
        (code = check_numbers(&r)) == CLI_EXIT_OK && (code = check_once(&r)) == CLI_EXIT_OK &&
        (code = check_order(&r)) == CLI_EXIT_OK) {
        if (out->sends) {
            check_blocking(&r);
        }
        drop_rest(&r);
        code = check_end(&r);
    }
    return code;
}

int cli_actions_fit(cli_session *s, const cli_actions *from, uint32_t n_stages)
{
    uint32_t least = from->n_stages < n_stages ? from->n_stages - 1u : n_stages;
    uint32_t i = 0;
    place at;
    if (from->n_stages == n_stages) {
        return CLI_EXIT_OK;
    }
    while (from->actions[i].stage < least) {
        i++;
    }
    at = place_of(from, i);
    return cli_error(s, GSP_STATUS_ARG,
        "%s:%" PRIu32 ":%" PRIu32 ": %s %" PRIu32 ": the pipeline has %" PRIu32 ", counted from 0",
        from->path, at.line, at.column,
        least == n_stages ? "there is no stage" : "no task is of a stage after",
        from->actions[i].stage, n_stages);
}
