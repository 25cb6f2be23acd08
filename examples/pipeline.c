/* A network as a pipeline: two stages by a split spec, gradients, a device, an extracted stage.
 *
 *     cc -std=c99 -I. examples/pipeline.c -o pipeline && ./pipeline */
#define GRAPHSPLIT_IMPLEMENTATION
#include "graphsplit.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "graph():\n"
    "    %x : [num_users=1] = placeholder[target=x]  # f32[4, 8]\n"
    "    %y : [num_users=1] = placeholder[target=y]  # f32[4, 8]\n"
    "    %w : [num_users=1] = get_attr[target=emb.weight]  # f32[8, 8]\n"
    "    %a : [num_users=1] = call_function[target=torch.mm](args = (%x, %w), kwargs = {})  "
    "# f32[4, 8] scope=emb\n"
    "    %b : [num_users=1] = call_module[target=layers.0](args = (%a,), kwargs = {})  "
    "# f32[4, 8] params=288\n"
    "    %w_1 : [num_users=1] = get_attr[target=emb.weight]  # f32[8, 8]\n"
    "    %c : [num_users=1] = call_function[target=torch.mm](args = (%b, %w_1), kwargs = {})  "
    "# f32[4, 8] scope=head\n"
    "    %z : [num_users=1] = call_function[target=torch.zeros](args = (4, 8), kwargs = "
    "{device: cpu})  # f32[4, 8] scope=head\n"
    "    %d : [num_users=1] = call_function[target=torch.add](args = (%c, %z), kwargs = {})  "
    "# f32[4, 8] scope=head\n"
    "    %loss : [num_users=1] = call_function[target=mse_loss](args = (%d, %y), kwargs = {})  "
    "# f32[]\n"
    "    return loss\n";

static int print(void *user, const char *data, size_t size)
{
    (void)user;
    return fwrite(data, 1u, size, stdout) != size;
}

static int stopped(const char *what, const gsp_error *err)
{
    printf("%s: %s\n", what, gsp_detail_text(err->detail));
    return 1;
}

/* Which stages hold each parameter. */
static void print_params(const gsp_module *module, const gsp_stage_params_result *r)
{
    for (uint32_t i = 0; i < r->n_params; i++) {
        gsp_str name = gsp_module_str(module, r->params[i].target);
        printf("%.*s is in stages", (int)name.size, name.data);
        for (uint32_t k = r->params[i].begin; k < r->params[i].end; k++) {
            printf(" %u", (unsigned)r->held[k]);
        }
        printf("\n");
    }
}

int main(void)
{
    static unsigned char memory[1u << 20];
    gsp_split_point const points[] = {{{"head", 4}, GSP_SPLIT_POINT_BEGINNING}};
    gsp_stage_device const devices[] = {{1, {"cuda:1", 6}}};
    gsp_text_desc plain = {0};
    gsp_stages_from_marks_desc marks = {0};
    gsp_pipeline_desc pipe = {0};
    gsp_stage_devices_desc move = {0};
    gsp_arena arena;
    gsp_module input;
    gsp_graph graph;
    gsp_stages_from_marks_result cut;
    gsp_stage_params_result params;
    gsp_pipeline_result made;
    gsp_backward_result trained;
    gsp_module moved;
    gsp_module alone;
    gsp_error err;
    uint32_t i;

    gsp_arena_init(&arena, memory, sizeof memory);
    if (gsp_text_read(&arena, text, sizeof text - 1u, NULL, &input, &err) != GSP_OK) {
        return stopped("reading", &err);
    }
    graph = gsp_module_graph(&input, 0);

    marks.points = points;
    marks.n_points = 1;
    if (gsp_stages_from_marks_run(&arena, &graph, &marks, &cut, &err) != GSP_OK) {
        return stopped("cutting", &err);
    }
    pipe.params.stage_of = cut.stage_of; /* parameters of several stages are replicated */
    pipe.keep_targets = 1;
    if (gsp_stage_params_run(&arena, &graph, &pipe.params, &params, &err) != GSP_OK ||
        gsp_pipeline_run(&arena, &graph, &pipe, &made, &err) != GSP_OK) {
        return stopped("stages", &err);
    }
    print_params(&input, &params);
    for (i = 0; i < made.params.n_replicated; i++) {
        gsp_str name = gsp_module_str(&made.module, made.params.replicated[i].target);
        printf("add up the gradients of %.*s\n\n", (int)name.size, name.data);
    }

    move.n_stages = made.n_stages;
    move.devices = devices;
    move.n_devices = 1;
    if (gsp_backward_run(&arena, &made, NULL, &trained, &err) != GSP_OK ||
        gsp_stage_devices_run(&arena, &trained.module, &move, &moved, &err) != GSP_OK ||
        gsp_stage_extract_run(&arena, &moved, 2u, &alone, &err) != GSP_OK) {
        return stopped("training", &err);
    }
    plain.no_annotations = 1;
    graph = gsp_module_graph(&moved, 0);
    (void)gsp_text_write_graph(&graph, &plain, print, NULL, &err);
    printf("\nfor the machine of stage 1:\n");
    return gsp_text_write(&alone, NULL, print, NULL, &err) != GSP_OK;
}
