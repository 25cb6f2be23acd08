"""PyTorch's pipelines (torch.distributed.pipelining) as judge of `pipe --schedule` and its CSV files.
usage: schedules.py GRAPHSPLIT [WORDS BEFORE IT]...

What PyTorch writes and what we write are the same bytes. Its table of 1F1B numbers the forward tasks of the last device
from 1, which is counted by name: its runtime, which runs them from 0, is the judge there. What we read loses its empty
cells, which mean nothing."""
import collections
import os
import re
import subprocess
import sys
import tempfile

try:
    import torch
    from torch.distributed.pipelining import schedules
    schedules.ScheduleDualPipeV
except (ImportError, AttributeError):
    print("skipped: schedules of pipelines (this PyTorch has no torch.distributed.pipelining with DualPipeV)")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)

program = sys.argv[1:]
known = collections.Counter()
passed = failed = 0


def verdict(label, good):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print("FAILED: " + label)


class Stage:
    """As much of a stage as a schedule asks for; `ran` collects what its runtime does."""

    def __init__(self, index, stages, rank, ranks, ran):
        self.stage_index, self.num_stages, self.group_rank, self.group_size = index, stages, rank, ranks
        self.is_first, self.is_last, self.ran = index == 0, index == stages - 1, ran
        self.get_fwd_recv_ops = self.get_fwd_send_ops = lambda microbatch: []
        self.get_bwd_recv_ops = self.get_bwd_send_ops = lambda microbatch: []
        self.perform_reduce_grad, self.submod = lambda factor: None, torch.nn.Identity()

    def forward_one_chunk(self, microbatch, *args, **kwargs):
        self.ran.append("%dF%d" % (self.stage_index, microbatch))

    def backward_one_chunk(self, microbatch, **kwargs):
        self.ran.append("%dB%d" % (self.stage_index, microbatch))


def theirs(kind, ranks, microbatches, local):
    """A schedule with `local` stages per rank; None where PyTorch has none for these numbers."""
    stages = [Stage(i * ranks, ranks * local, 0, ranks, []) for i in range(local)]
    try:
        return getattr(schedules, kind)(stages, microbatches)
    except ValueError:
        return None


def dump(schedule, form):
    path = os.path.join(made, "theirs.csv")
    schedule._dump_csv(path, form)
    return read(path)


def read(path):
    with open(path, newline="") as f:
        return f.read()


def ours(stages, *options):
    """Our CSV, without and with transfers; None: refused."""
    found = []
    for more in [], ["--transfers"]:
        run = subprocess.run(program + ["pipe", "--stages", str(stages), *options, "--schedule-csv", "-", *more,
                                        chain(stages)], capture_output=True)
        found.append(run.stdout.decode() if run.returncode == 0 else run.stderr.decode())
    return found


def chain(n):
    path = os.path.join(made, "%d.fx" % n)
    if not os.path.exists(path):
        lines = ["graph():", "    %x : [num_users=1] = placeholder[target=x]"]
        lines += ["    %%n%d : [num_users=1] = call_module[target=n%d](args = (%%%s,), kwargs = {})  # compute=0.001" %
                  (i, i, "n%d" % (i - 1) if i else "x") for i in range(n)] + ["    return n%d" % (n - 1), ""]
        with open(path, "w") as f:
            f.write("\n".join(lines))
    return path


def without_waits(text):
    """Without empty cells: steps in which a device waits."""
    return "".join(",".join(filter(None, row.split(","))) + "\r\n" for row in text.splitlines())


def through_runtime(ranks, microbatches, text):
    """Rows without transfers, as PyTorch's runtime reads them, and the transfers that it adds."""
    runtime = schedules._PipelineScheduleRuntime([Stage(0, ranks, 0, ranks, [])], microbatches)
    path = os.path.join(made, "ours.csv")
    with open(path, "w", newline="") as f:
        f.write(text)
    runtime._load_csv(path)
    return dump(runtime, "compute_comms")


def check_single(word, kind, ranks, microbatches):
    """GPipe and 1F1B: what the runtime runs, the table, and the transfers."""
    if kind == "Schedule1F1B" and microbatches < ranks:
        return
    label = "%s, %d ranks, %d microbatches: " % (kind, ranks, microbatches)
    tasks, transfers = ours(ranks, "--schedule", word, "--microbatches", str(microbatches))
    rows = tasks.split("\r\n")
    table = []
    for rank in range(ranks):
        stage = Stage(rank, ranks, rank, ranks, [])
        schedule = getattr(schedules, kind)(stage, microbatches)
        schedule._initialize_stage = lambda *args: None
        schedule._step_microbatches([()] * microbatches, [{}] * microbatches)
        verdict(label + "row %d as its runtime runs it" % rank, ",".join(stage.ran) == rows[rank])
        row = [str(a) for a in schedule.pipeline_order[rank] if a.is_compute_op]
        if kind == "Schedule1F1B" and rank == ranks - 1 and "%dF0" % rank not in row:
            known["a table that numbers the forward tasks of the last device from 1"] += 1
            row = [re.sub(r"F(\d+)", lambda f: "F%d" % (int(f.group(1)) - 1), cell) for cell in row]
        table.append(",".join(row) + "\r\n")
    verdict(label + "the table", "".join(table) == tasks)
    verdict(label + "transfers", transfers == through_runtime(ranks, microbatches, tasks))


def check_multi(word, kind, ranks, microbatches, local):
    """Several stages per rank: our own order."""
    label = "%s, %d ranks, %d microbatches, %d local stages: " % (word, ranks, microbatches, local)
    schedule = theirs(kind, ranks, microbatches, local)
    chunks = ["--chunks", str(local)] if local != 2 else []
    tasks, transfers = ours(local * ranks, "--schedule", word, "--microbatches", str(microbatches), *chunks)
    if schedule is None:
        refused = "need at least" in tasks
        known["%s: numbers that PyTorch refuses%s" % (word, ", and so do we" if refused else "")] += 1
        return
    verdict(label + "tasks", tasks == dump(schedule, "compute_only"))
    verdict(label + "transfers", transfers == dump(schedule, "compute_comms"))


def check_file(kind, ranks, microbatches, local):
    """Any other schedule: from PyTorch's file to ours."""
    label = "%s, %d ranks, %d microbatches, %d local stages: " % (kind, ranks, microbatches, local)
    schedule = theirs(kind, ranks, microbatches, local)
    if schedule is None:
        return
    wanted = dump(schedule, "compute_only"), dump(schedule, "compute_comms")
    for form, text in zip(("compute_only", "compute_comms"), wanted):
        path = os.path.join(made, form + ".csv")
        with open(path, "w", newline="") as f:
            f.write(text)
        found = ours(ranks * local, "--schedule", "@" + path)
        verdict(label + "tasks of " + form, found[0] == without_waits(wanted[0]))
        verdict(label + "transfers of " + form, found[1] == wanted[1])


torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as made:
    for ranks in range(2, 9):
        for microbatches in range(2, 33):
            check_single("gpipe", "ScheduleGPipe", ranks, microbatches)
            check_single("1f1b", "Schedule1F1B", ranks, microbatches)
            for local in (2, 3) if microbatches % 8 == 0 else (2,):
                check_multi("interleaved", "ScheduleInterleaved1F1B", ranks, microbatches, local)
                check_multi("interleaved-zb", "ScheduleInterleavedZeroBubble", ranks, microbatches, local)
                check_multi("looped-bfs", "ScheduleLoopedBFS", ranks, microbatches, local)
            check_multi("zbv", "ScheduleZBVZeroBubble", ranks, microbatches, 2)
            check_multi("dualpipev", "ScheduleDualPipeV", ranks, microbatches, 2)
        for microbatches in (2, 3, 5, 8, 16, 17, 32):
            for local in (2, 3, 5):
                check_file("ScheduleLoopedBFS", ranks, microbatches, local)
                check_file("ScheduleInterleavedZeroBubble", ranks, microbatches, local)
            check_file("ScheduleZBVZeroBubble", ranks, microbatches, 2)
            check_file("ScheduleDualPipeV", ranks, microbatches, 2)
for what, times in sorted(known.items()):
    print("known: %s: %d" % (what, times))
print("PyTorch %s" % torch.__version__)
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed != 0)
