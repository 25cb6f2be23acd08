"""PyTorch's runtime of pipelines executes our schedules: 2 to 4 ranks on CPU (gloo), the losses and gradients of one
process.
usage: runtime.py GRAPHSPLIT [WORDS BEFORE IT]..."""
import multiprocessing
import os
import subprocess
import sys
import tempfile

try:
    import torch
    import torch.distributed as dist
    from torch.distributed.pipelining import PipelineStage, schedules
    schedules.ScheduleDualPipeV
    assert dist.is_gloo_available()
except (ImportError, AttributeError, AssertionError):
    print("skipped: schedules in PyTorch's runtime (this PyTorch has no torch.distributed.pipelining with DualPipeV)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

KINDS = [("gpipe", 1), ("1f1b", 1), ("interleaved", 2), ("looped-bfs", 2), ("interleaved-zb", 2), ("zb-h1", 1),
         ("zb-h2", 1), ("zbv", 2), ("v-half", 2), ("v-min", 2), ("dualpipev", 2)]
WIDTH, BATCHES = 6, 8


def layer(stage):
    torch.manual_seed(stage)
    return torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh())


def data():
    torch.manual_seed(99)
    return torch.randn(2 * BATCHES, WIDTH), torch.randn(2 * BATCHES, WIDTH)


def alone(stages):
    """Losses per microbatch and the gradients of all stages."""
    model = torch.nn.Sequential(*[layer(s) for s in range(stages)])
    x, y = data()
    losses = [torch.nn.functional.mse_loss(model(a), b) for a, b in zip(x.chunk(BATCHES), y.chunk(BATCHES))]
    (sum(losses) / BATCHES).backward()
    return [l.item() for l in losses], [[p.grad for p in part.parameters()] for part in model]


def run_rank(rank, ranks, folder, results):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method="file://" + os.path.join(folder, "store%d" % ranks), rank=rank,
                            world_size=ranks)
    for kind, local in KINDS:
        stages = ranks * local
        path = os.path.join(folder, "%s-%d.csv" % (kind, ranks))
        with open(path) as f:
            mine = sorted({int(cell.lstrip("(").split("F")[0]) for cell in f.read().split("\n")[rank].split(",")
                           if "F" in cell and cell.lstrip("(").split("F")[0].isdigit()})
        parts = [PipelineStage(layer(s), s, stages, torch.device("cpu")) for s in mine]
        runtime = schedules._PipelineScheduleRuntime(parts, BATCHES, loss_fn=torch.nn.functional.mse_loss)
        runtime._load_csv(path)
        x, y = data()
        losses = []
        last = stages - 1 in mine
        runtime.step(*([x] if 0 in mine else []), **({"target": y, "losses": losses} if last else {}))
        wanted, gradients = alone(stages)
        good = not last or torch.allclose(torch.tensor(wanted), torch.tensor([l.item() for l in losses]), rtol=1e-6)
        for s, part in zip(mine, parts):
            good &= all(torch.allclose(p.grad, g, rtol=1e-5, atol=1e-7)
                        for p, g in zip(part.submod.parameters(), gradients[s]))
        results.put((kind, rank, bool(good)))
        dist.barrier()
    dist.destroy_process_group()


def write_schedules(program, folder, ranks):
    for kind, local in KINDS:
        stages = ranks * local
        path = os.path.join(folder, "%d.fx" % stages)
        with open(path, "w") as f:
            f.write("graph():\n    %x : [num_users=1] = placeholder[target=x]\n")
            for i in range(stages):
                f.write("    %%n%d : [num_users=1] = call_module[target=n%d](args = (%%%s,), kwargs = {})\n" %
                        (i, i, "n%d" % (i - 1) if i else "x"))
            f.write("    return n%d\n" % (stages - 1))
        subprocess.run(program + ["pipe", "--stages", str(stages), "--schedule", kind, "--microbatches", str(BATCHES),
                                  "--task-times", "1:1:1", "--schedule-csv",
                                  os.path.join(folder, "%s-%d.csv" % (kind, ranks)), path],
                       check=True, capture_output=True)


def main():
    passed = failed = 0
    context = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as folder:
        for ranks in 2, 3, 4:
            write_schedules(sys.argv[1:], folder, ranks)
            results = context.SimpleQueue()
            workers = [context.Process(target=run_rank, args=(r, ranks, folder, results)) for r in range(ranks)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join(60)
                if worker.exitcode is None:
                    worker.kill()
            found = {}
            while not results.empty():
                kind, rank, good = results.get()
                found[kind, rank] = good
            for kind, _ in KINDS:
                good = all(found.get((kind, rank)) for rank in range(ranks))
                passed += good
                failed += not good
                if not good:
                    print("FAILED: %s on %d ranks: %s" % (kind, ranks, [found.get((kind, r)) for r in range(ranks)]))
    print("losses and gradients of one process, PyTorch %s" % torch.__version__)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
