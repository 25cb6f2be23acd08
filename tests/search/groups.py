"""Stages of small random graphs, beside all that there are. groups.py PROGRAM DIRECTORY HOW_MANY SEED

Groups, backward parts, CPU cores, memory and replicas come at random. A stage is a set of classes (groups,
or nodes without one); forward edges never lead to an earlier stage. What each costs follows the definition."""
import itertools
import random
import subprocess
import sys

NS = 10**9


def make(rnd):
    n = rnd.randint(2, 9)
    forward = rnd.randint(1, n) if rnd.random() < 0.4 else n
    groups = rnd.random() < 0.7
    nodes = []
    for i in range(n):
        ins = [j for j in range(i) if rnd.random() < 0.4]
        if i < forward:
            ins = [j for j in ins if j < forward]
        nodes.append(dict(
            back=i >= forward, ins=ins, time=rnd.choice([0, 0, 1, 2, 5, 9]), host=rnd.choice([0, 1, 4, 20, None]),
            move=rnd.choice([0, 1, 3]), params=rnd.choice([0, 0, 1, 4]), size=rnd.choice([0, 1, 2]),
            acc=rnd.choice([1, 1, 1, 1, 0]), group=rnd.randint(0, n // 2) if groups and rnd.random() < 0.6 else None))
    return nodes


def text(nodes):
    users = [[v for v, x in enumerate(nodes) if i in x["ins"]] for i in range(len(nodes))]
    ends = [i for i in range(len(nodes)) if not users[i]]
    lines = ["graph():"]
    for i, x in enumerate(nodes):
        note = "bytes=%(size)d compute=%(time)d comm=%(move)d params=%(params)d acc=%(acc)d" % x
        note += "" if x["host"] is None else " cpu=%d" % x["host"]
        note += "" if x["group"] is None else " group=%d" % x["group"]
        note += " backward=1" if x["back"] else ""
        args = ", ".join("%%n%d" % j for j in x["ins"]) + ("," if len(x["ins"]) == 1 else "")
        lines.append("    %%n%d : [num_users=%d] = call_module[target=n%d](args = (%s), kwargs = {})  # %s" % (
            i, len(users[i]) + (i in ends), i, args, note))
    value = "n%d" % ends[0] if len(ends) == 1 else "(" + ", ".join("n%d" % i for i in ends) + ")"
    return "\n".join(lines + ["    return " + value]) + "\n"


def classes(nodes, keep):
    """The class of each node, and which class comes before which."""
    number = {}
    of = [number.setdefault(("group", x["group"]) if keep and x["group"] is not None else i, len(number))
          for i, x in enumerate(nodes)]
    back = [x["back"] and keep for x in nodes]
    forward = {of[i] for i in range(len(nodes)) if not back[i]}
    before = set()
    for i, x in enumerate(nodes):
        for j in x["ins"]:
            if not back[i]:
                before.add((of[j], of[i]))
            elif back[j] and not {of[i], of[j]} <= forward:
                before.add((of[i], of[j]))
    return of, len(number), before


def peak(nodes, stage, s):
    """The most bytes that are live while the nodes of a stage run in order."""
    mine = [i for i in range(len(nodes)) if stage[i] == s]
    live = []
    for j, x in enumerate(nodes):
        reads = [at for at, i in enumerate(mine) if j in nodes[i]["ins"]]
        users = [i for i, y in enumerate(nodes) if j in y["ins"]]
        if stage[j] == s:
            leaves = not users or any(stage[i] != s for i in users)
            live.append((x["size"], mine.index(j), len(mine) - 1 if leaves else reads[-1]))
        elif reads:
            live.append((x["size"], 0, reads[-1]))
    return max(sum(size for size, begin, end in live if begin <= at <= end) for at in range(len(mine)))


def figures(nodes, stage, s, cores):
    mine = [x for i, x in enumerate(nodes) if stage[i] == s]
    move = size = 0
    for i, x in enumerate(nodes):
        where = {stage[i]} | {stage[v] for v, y in enumerate(nodes) if i in y["ins"]}
        size += x["size"] if s in where else 0
        move += x["move"] if s in where and len(where) > 1 else 0
    return dict(
        time=sum(x["time"] for x in mine) + move, host=sum(x["host"] or 0 for x in mine),
        no_host=any(x["host"] is None for x in mine), no_device=cores > 0 and any(x["acc"] == 0 for x in mine),
        params=sum(x["params"] for x in mine), size=size, peak=peak(nodes, stage, s))


def cost(nodes, f, o, kinds, s):
    """A stage on kinds[s] devices, 0: a CPU core. None: it does not fit."""
    d, batches = kinds[s], o["batches"]
    if d == 0:
        return None if f["no_host"] else 0 if o["bytes"] else f["host"] * NS
    held = -(-min(sum(kinds[s:]), batches) // d)
    room = f["params"] + (f["size"] * held if batches else 0 if any(x["back"] for x in nodes) else f["peak"])
    if f["no_device"] or (batches and batches % d) or (o["memory"] and room > o["memory"]):
        return None
    if o["bytes"]:
        return room
    sync = f["params"] * NS // o["rate"] if d > 1 and batches and o["rate"] else 0
    return -(-f["time"] * NS // d) + -(-4 * sync // (d * batches or 1)) * (d - 1)


def best(nodes, o):
    of, n, before = classes(nodes, o["keep"])
    found = None
    for stages in range(1, min(o["devices"] + o["cores"], n) + 1):
        ways = [k for k in itertools.product(range((o["devices"] if o["replicas"] else 1) + 1), repeat=stages)
                if sum(k) <= o["devices"] and k.count(0) <= o["cores"]]
        for place in itertools.product(range(stages), repeat=n):
            if len(set(place)) < stages or any(place[u] > place[v] for u, v in before):
                continue
            stage = [place[c] for c in of]
            f = [figures(nodes, stage, s, o["cores"]) for s in range(stages)]
            for kinds in ways:
                costs = [cost(nodes, f[s], o, kinds, s) for s in range(stages)]
                if None not in costs and (found is None or max(costs) < found):
                    found = max(costs)
    return found


def options(rnd):
    o = dict(devices=rnd.randint(1, 3), cores=rnd.choice([0, 0, 1, 2]), keep=rnd.random() < 0.8,
             memory=rnd.choice([0, 0, 0, 4, 8]), batches=rnd.choice([0, 0, 1, 2, 4]), rate=0, replicas=False, bytes=False)
    if "--replicas" in sys.argv and rnd.random() < 0.7:
        o.update(replicas=True, rate=rnd.choice([0, 1, 2]))
    if not o["keep"] and not o["replicas"]:
        o["cores"] = 1
    o["bytes"] = rnd.random() < 0.3
    return o


def run(o, path):
    line = [sys.argv[1], "pipe", "--policy", "optimal", "--balance", "bytes" if o["bytes"] else "time", "--porcelain", "--stages", str(o["devices"])]
    line += ["--keep-groups"] if o["keep"] else []
    line += ["--replicas"] if o["replicas"] else []
    for key, option in (("cores", "--cpu-cores"), ("memory", "--memory"), ("batches", "--microbatches"), ("rate", "--bandwidth")):
        line += [option, str(o[key])] if o[key] else []
    out = subprocess.run(line + [path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    proof = [x for x in out.stdout.splitlines() if x.startswith("proof ")]
    if not proof:
        return (None, True) if out.stdout == "error NO_FIT\n" else (out.stdout + out.stderr, True)
    got = dict(x.split("=") for x in proof[0].split()[1:])
    return int(got["objective"]), got["proved"] == "1" and got["bound"] == got["objective"]


if __name__ == "__main__":
    rnd = random.Random(int(sys.argv[4]))
    for number in range(int(sys.argv[3])):
        nodes = make(rnd)
        o = options(rnd)
        for x in nodes:
            x["back"] = x["back"] and o["keep"]
            x["group"] = x["group"] if o["keep"] else None  # torn ones are refused
        path = "%s/%d.fx" % (sys.argv[2], number)
        with open(path, "w") as file:
            file.write(text(nodes))
        want = best(nodes, o)
        got, proved = run(o, path)
        if got != want or not proved:
            sys.exit("graph %d %r: got %r (proved: %r), the best of all is %r\n%s" % (number, o, got, proved, want, text(nodes)))
