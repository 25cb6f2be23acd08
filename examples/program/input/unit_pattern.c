/* Patterns of operators for --units: STEP+STEP+STEP. A step is OPERATORS, which reads the step
 * before it, or OPERATORS(I,J), which reads the steps I and J; steps count from 1. */
#include "input/input.h"

#include <string.h>

/* Cuts `text` after the first `mark`; returns what was before the mark. */
static gsp_str cut(gsp_str *text, char mark)
{
    gsp_str head = *text;
    const char *end = text->size != 0 ? (const char *)memchr(text->data, mark, text->size) : NULL;
    uint32_t used = end != NULL ? (uint32_t)(end - text->data) + 1u : text->size;
    head.size = end != NULL ? used - 1u : used;
    text->data += used;
    text->size -= used;
    return head;
}

int unit_step_fits(gsp_str step, gsp_str name)
{
    while (step.size != 0) {
        if (gsp_str_glob(cut(&step, '|'), name)) {
            return 1;
        }
    }
    return 0;
}

static int has_empty_name(gsp_str step)
{
    if (step.size != 0 && step.data[step.size - 1u] == '|') {
        return 1;
    }
    do {
        if (cut(&step, '|').size == 0) {
            return 1;
        }
    } while (step.size != 0);
    return 0;
}

/* The steps that step `user` reads: "1,2)". */
static const char *read_arcs(unit_pattern *p, uint32_t user, gsp_str list)
{
    if (list.size == 0 || list.data[list.size - 1u] != ')') {
        return "a ')' is missing";
    }
    list.size--;
    while (list.size != 0) {
        uint64_t number;
        if (!gsp_str_number(cut(&list, ','), &number) || number == 0 || number > user) {
            return "a step reads steps before it, by their numbers from 1 on";
        }
        if (p->n_arcs == UNIT_MOST_ARCS) {
            return "the steps read more than 64 others";
        }
        p->arcs[p->n_arcs].user = user;
        p->arcs[p->n_arcs++].input = (uint32_t)number - 1u;
    }
    return NULL;
}

static const char *read_step(unit_pattern *p, gsp_str text)
{
    uint32_t step = p->n_steps++;
    gsp_str before = text;
    gsp_str name = cut(&text, '(');
    p->steps[step] = name;
    if (has_empty_name(name)) {
        return "the name of an operator is missing";
    }
    if (name.size != before.size) {
        return read_arcs(p, step, text);
    }
    if (step != 0 && p->n_arcs < UNIT_MOST_ARCS) {
        p->arcs[p->n_arcs].user = step;
        p->arcs[p->n_arcs++].input = step - 1u;
    }
    return NULL;
}

/* Arcs of later steps first; the order among those of one step stays. */
static void sort_arcs(unit_pattern *p)
{
    uint32_t i;
    for (i = 1; i < p->n_arcs; i++) {
        unit_arc arc = p->arcs[i];
        uint32_t k = i;
        for (; k > 0 && p->arcs[k - 1u].user < arc.user; k--) {
            p->arcs[k] = p->arcs[k - 1u];
        }
        p->arcs[k] = arc;
    }
}

static int is_read(const unit_pattern *p, uint32_t step)
{
    uint32_t i;
    for (i = 0; i < p->n_arcs; i++) {
        if (p->arcs[i].input == step) {
            return 1;
        }
    }
    return 0;
}

/* Whether one operator may fit both steps: a name of one fits the other. */
static int overlap(gsp_str a, gsp_str b)
{
    gsp_str rest = a;
    while (rest.size != 0) {
        if (unit_step_fits(b, cut(&rest, '|'))) {
            return 1;
        }
    }
    while (b.size != 0) {
        if (unit_step_fits(a, cut(&b, '|'))) {
            return 1;
        }
    }
    return 0;
}

/* The end of one match may be the begin of another, as with relu+relu in a chain of three. */
static int matches_itself(const unit_pattern *p)
{
    uint32_t shift;
    for (shift = 1; shift < p->n_steps; shift++) {
        uint32_t i = shift;
        while (i < p->n_steps && overlap(p->steps[i], p->steps[i - shift])) {
            i++;
        }
        if (i == p->n_steps) {
            return 1;
        }
    }
    return 0;
}

const char *unit_pattern_read(unit_pattern *p, gsp_str text)
{
    const char *wrong = NULL;
    uint32_t i;
    memset(p, 0, sizeof *p);
    p->text = text;
    do {
        if (p->n_steps == UNIT_MOST_STEPS) {
            return "a pattern has at most 16 steps";
        }
        wrong = read_step(p, cut(&text, '+'));
    } while (wrong == NULL && text.size != 0);
    if (wrong != NULL) {
        return wrong;
    }
    if (p->text.data[p->text.size - 1u] == '+' || p->n_steps < 2u) {
        return "a pattern is at least two operators with a '+' between them";
    }
    for (i = 0; i + 1u < p->n_steps; i++) {
        if (!is_read(p, i)) {
            return "every step but the last must be read by a later one";
        }
    }
    sort_arcs(p);
    return matches_itself(p)
               ? "two units of this pattern may share nodes, because its end may also "
                 "be its begin"
               : NULL;
}
