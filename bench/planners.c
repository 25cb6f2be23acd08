/* How others give buffers their offsets in one arena, as C functions: sizes and lifetimes in,
 * offsets out. Written anew from what is published, not copied:
 *     tflm    tflite-micro 17bebc09, micro/memory_planner/greedy_memory_planner.cc: the largest
 *             first, at the lowest gap between the buffers that live with it
 *     iree    IREE 0ca4f62a (MLIR), Stream/Transforms/LayoutSlices.cpp, as TFLite's
 *             SimpleMemoryArena: in the order given, here of the first use, at the smallest gap
 *             that takes the buffer
 *     planners NAME BUFFERS PLAN
 * reads lines of id,lower,upper,size below a head; a buffer lives in [lower, upper). Writes the
 * lines with offset as a fifth column; prints the nanoseconds of the function alone. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 100000u

typedef struct buffer {
    uint64_t lower, upper, size, offset;
    uint32_t id;
} buffer;

static void die(const char *what)
{
    fprintf(stderr, "planners: %s\n", what);
    exit(1);
}

static int live_together(const buffer *a, const buffer *b)
{
    return a->lower < b->upper && b->lower < a->upper;
}

static int by_size(const void *a, const void *b)
{
    const buffer *x = (const buffer *)a, *y = (const buffer *)b;
    return x->size != y->size ? (x->size < y->size ? 1 : -1) : x->id < y->id ? -1 : 1;
}

static int by_birth(const void *a, const void *b)
{
    const buffer *x = (const buffer *)a, *y = (const buffer *)b;
    return x->lower != y->lower ? (x->lower < y->lower ? -1 : 1) : x->id < y->id ? -1 : 1;
}

static int by_id(const void *a, const void *b)
{
    const buffer *x = (const buffer *)a, *y = (const buffer *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Places the buffers in turn; `placed` holds those before, by offset. The gap above takes any. */
static void place(buffer *all, uint32_t n, buffer **placed, int smallest_gap)
{
    for (uint32_t i = 0; i < n; i++) {
        buffer *b = &all[i];
        uint64_t end = 0, best_gap = UINT64_MAX, best = UINT64_MAX;
        uint32_t at;
        for (uint32_t k = 0; k < i; k++) {
            const buffer *p = placed[k];
            if (!live_together(p, b)) {
                continue;
            }
            if (p->offset > end && p->offset - end >= b->size && p->offset - end < best_gap) {
                best_gap = p->offset - end;
                best = end;
                if (!smallest_gap) {
                    break;
                }
            }
            end = p->offset + p->size > end ? p->offset + p->size : end;
        }
        b->offset = best == UINT64_MAX ? end : best;
        for (at = i; at > 0 && placed[at - 1u]->offset > b->offset; at--) {
            placed[at] = placed[at - 1u];
        }
        placed[at] = b;
    }
}

static void tflm(buffer *all, uint32_t n, buffer **placed)
{
    qsort(all, n, sizeof *all, by_size);
    place(all, n, placed, 0);
}

static void iree(buffer *all, uint32_t n, buffer **placed)
{
    qsort(all, n, sizeof *all, by_birth);
    place(all, n, placed, 1);
}

static const struct planner {
    const char *name;
    void (*plan)(buffer *all, uint32_t n, buffer **placed);
} planners[] = {{"tflm", tflm}, {"iree", iree}};

/* ---- files ---- */

static uint32_t read_buffers(const char *path, buffer *all)
{
    FILE *file = fopen(path, "r");
    unsigned long id, lower, upper, size;
    uint32_t n = 0;
    if (!file || fscanf(file, "id,lower,upper,size\n") != 0) {
        die("the buffers cannot be read");
    }
    while (n < MOST && fscanf(file, "%lu,%lu,%lu,%lu\n", &id, &lower, &upper, &size) == 4) {
        buffer const b = {lower, upper, size, 0, (uint32_t)id};
        all[n++] = b;
    }
    if (!feof(file)) {
        die("a line is not id,lower,upper,size, or there are more than 100000");
    }
    fclose(file);
    return n;
}

static void write_plan(const char *path, buffer *all, uint32_t n)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        die("the plan cannot be written");
    }
    qsort(all, n, sizeof *all, by_id);
    fprintf(file, "id,lower,upper,size,offset\n");
    for (uint32_t i = 0; i < n; i++) {
        fprintf(file, "%lu,%lu,%lu,%lu,%lu\n", (unsigned long)all[i].id,
            (unsigned long)all[i].lower, (unsigned long)all[i].upper, (unsigned long)all[i].size,
            (unsigned long)all[i].offset);
    }
    if (fclose(file) != 0) {
        die("the plan cannot be written");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    buffer *all = (buffer *)malloc(MOST * sizeof *all);
    buffer **placed = (buffer **)malloc(MOST * sizeof *placed);
    if (!all || !placed) {
        die("out of memory");
    }
    for (size_t i = 0; argc == 4 && i < sizeof planners / sizeof *planners; i++) {
        if (strcmp(argv[1], planners[i].name) == 0) {
            uint32_t n = read_buffers(argv[2], all);
            double begin = now();
            planners[i].plan(all, n, placed);
            printf("%.0f\n", now() - begin);
            write_plan(argv[3], all, n);
            return 0;
        }
    }
    fprintf(stderr, "usage: planners tflm|iree BUFFERS PLAN\n");
    return 2;
}
