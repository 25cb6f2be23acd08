/* Errors of the library as sentences: which node, how many bytes, which device, and a remedy. */
#include "commands/partition/partition.h"

#include <inttypes.h>

static const char *node_name(const partition *p, uint32_t node)
{
    cli_buffer b;
    cli_buffer_init(&b, p->session);
    if (node < p->graph.n_nodes) {
        cli_put_clipped(&b, gsp_node_name(&p->graph, node), 200u);
    } else {
        cli_puts(&b, "?");
    }
    cli_put(&b, "", 1u);
    return b.data;
}

static const char *device_name(const partition *p, uint32_t device)
{
    cli_buffer b;
    cli_buffer_init(&b, p->session);
    if (device < p->n_devices) {
        cli_put_clipped(&b, p->devices[device].name, 100u);
    } else {
        cli_puts(&b, "?");
    }
    cli_put(&b, "", 1u);
    return b.data;
}

/* "; the largest, npu, has 512 bytes" */
static const char *device_clause(const partition *p, const char *which, const gsp_error *err)
{
    cli_buffer b;
    cli_buffer_init(&b, p->session);
    if (err->other < p->n_devices) {
        cli_printf(&b, "; %s, %s, has %" PRIu64, which, device_name(p, err->other), err->limit);
    }
    cli_put(&b, "", 1u);
    return b.data;
}

/* Too little by the sum of all values; perhaps enough for those that live at once. */
static int refuse_small(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    cli_buffer more;
    uint64_t at_once;
    (void)partition_find_whole(p);
    at_once = cli_need_at_once(&p->whole);
    cli_buffer_init(&more, s);
    if (p->has_needs) {
        cli_printf(&more,
            "at once the graph needs %" PRIu64 " bytes (parameters %" PRIu64
            ", live values %" PRIu64 ")%s; ",
            at_once, p->whole.params, p->whole.peak,
            p->opt.mode == GSP_PARTITION_SIZE && at_once <= err->limit
                ? ", for which --count peak is enough"
                : "");
    }
    cli_printf(
        &more, "all values and parameters, which PyTorch adds, need %" PRIu64 " bytes", err->need);
    cli_put(&more, "", 1u);
    if (p->n_devices == 1u) {
        return cli_error(s, err->status, "%s, and the device has %" PRIu64, more.data, err->limit);
    }
    return cli_error(s, err->status, "%s, and all %" PRIu32 " devices together have %" PRIu64,
        more.data, p->n_devices, err->limit);
}

static int refuse_device(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    switch (err->detail) {
    case GSP_DETAIL_DEVICES:
        return cli_error(s, err->status,
            "there are no devices: give them with --device NAME:BYTES or --devices "
            "FILE");
    case GSP_DETAIL_DEVICE_TWICE:
        return cli_error(s, err->status,
            "%s and %s have the same logical id, %" PRIu32 "; every device requires its own",
            p->device_from[err->node], p->device_from[err->other], p->devices[err->node].id);
    case GSP_DETAIL_DEVICE_UNKNOWN:
        return cli_error(s, err->status,
            "%s: partition %" PRIu64 " names device %" PRIu32
            ", which does not exist or is named twice",
            p->opt.plan != NULL ? p->opt.plan : "--partition-devices", err->need, err->other);
    case GSP_DETAIL_DEVICES_UNEQUAL:
        return cli_error(s, err->status,
            "--mode sparse-nn requires devices of one size: %s has %" PRIu64 " bytes, %s %" PRIu64,
            device_name(p, 0), p->devices[0].bytes, device_name(p, err->other),
            err->other < p->n_devices ? p->devices[err->other].bytes : 0u);
    default:
        return refuse_small(p, err);
    }
}

static int refuse_size(partition *p, const gsp_error *err)
{
    if (err->other < p->n_devices) {
        return cli_error(p->session, err->status,
            "the total bytes of the devices up to %s exceed 64 bits", p->device_from[err->other]);
    }
    return cli_error(p->session, err->status,
        "node %s: the total bytes of the nodes up to this one exceed 64 bits",
        node_name(p, err->node));
}

static int refuse_seconds(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    if (err->status == GSP_STATUS_OVERFLOW || err->node >= p->graph.n_nodes) {
        return cli_error(s, err->status,
            "the total latency of the nodes, and of the transfers at this "
            "--transfer-rate, is not a finite number of seconds");
    }
    return cli_error(s, err->status,
        "node %s: a latency is negative, infinite or not a number (mem=%s compute=%s)",
        node_name(p, err->node), cli_copy(s, gsp_node_attr(&p->graph, err->node, GSP_KEY_MEM)),
        cli_copy(s, gsp_node_attr(&p->graph, err->node, GSP_KEY_COMPUTE)));
}

static const char *repair_clause(const partition *p, const gsp_error *err)
{
    return partition_repairable(p, err) ? ". Another placement may exist: --repair searches for it"
                                        : "";
}

static int refuse_no_fit(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    switch (err->detail) {
    case GSP_DETAIL_NODE_LARGE:
        return cli_error(s, err->status,
            "node %s needs %" PRIu64 " bytes with its inputs, more than any device "
            "that is still free%s%s",
            node_name(p, err->node), err->need, device_clause(p, "the largest of them", err),
            repair_clause(p, err));
    case GSP_DETAIL_EMBEDDINGS:
        return cli_error(s, err->status,
            "the embeddings need %" PRIu64 " devices, and there are %" PRIu64, err->need,
            err->limit);
    case GSP_DETAIL_EMBEDDING_LARGE:
        return cli_error(s, err->status,
            "the embeddings that begin with node %s, and all nodes that are not "
            "embeddings, need %" PRIu64 " bytes on one device, and each has %" PRIu64,
            node_name(p, err->node), err->need, err->limit);
    default:
        return cli_error(s, err->status,
            "no device has room for the partition that begins with node %s: it needs "
            "%" PRIu64 " bytes, and a device must have more than that left%s%s",
            node_name(p, err->node), err->need, device_clause(p, "the one with the most left", err),
            repair_clause(p, err));
    }
}

static int refuse_assignment(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    const char *name = node_name(p, err->node);
    switch (err->detail) {
    case GSP_DETAIL_PART_NONE:
        return cli_error(s, err->status,
            p->opt.plan != NULL ? "node %s belongs to no partition: a line %s in the plan puts it "
                                  "into one"
                                : "node %s belongs to no partition: --assign %s=K puts it into one",
            name, name);
    case GSP_DETAIL_PART_DEVICES:
        return cli_error(s, err->status,
            "partition %" PRIu32 ", to which node %s belongs, has no devices: give "
            "them with --partition-devices %" PRIu32 "=ID,ID",
            err->other, name, err->other);
    default:
        return cli_error(s, err->status,
            "partitions %" PRIu32 " and %" PRIu32
            " depend on each other: the assignment has a cycle%s",
            err->node, err->other, p->graph.order != NULL ? ", if writes keep their order" : "");
    }
}

int partition_refuse(partition *p, const gsp_error *err)
{
    cli_session *s = p->session;
    switch (err->detail) {
    case GSP_DETAIL_DEVICES:
    case GSP_DETAIL_DEVICE_TWICE:
    case GSP_DETAIL_DEVICE_UNKNOWN:
    case GSP_DETAIL_DEVICES_UNEQUAL:
    case GSP_DETAIL_DEVICES_SMALL:
        return refuse_device(p, err);
    case GSP_DETAIL_SIZE:
        return refuse_size(p, err);
    case GSP_DETAIL_LATENCY:
        return refuse_seconds(p, err);
    case GSP_DETAIL_RATE:
        return cli_error(s, err->status,
            "--transfer-rate %s is negative, infinite or not a number; without it "
            "transfers take no time",
            p->opt.rate);
    case GSP_DETAIL_RATE_ZERO:
        return cli_error(s, err->status,
            "--transfer-rate %s, but there are %" PRIu64 " bytes to move between devices",
            p->opt.rate, err->need);
    case GSP_DETAIL_CALLABLE:
        return cli_error(s, err->status, "%s calls nothing, so there is nothing to place", s->path);
    case GSP_DETAIL_NODE_LARGE:
    case GSP_DETAIL_MAPPING:
    case GSP_DETAIL_EMBEDDINGS:
    case GSP_DETAIL_EMBEDDING_LARGE:
        return refuse_no_fit(p, err);
    case GSP_DETAIL_PART_NONE:
    case GSP_DETAIL_PART_DEVICES:
    case GSP_DETAIL_PARTS_CYCLE:
        return refuse_assignment(p, err);
    default:
        return cli_pass_error(s, &p->graph, err);
    }
}
