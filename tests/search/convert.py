"""split --no-convert and --convert beside all choices of nodes: random graphs of up to 9 nodes whose operators take some
types on the accelerator, with layouts or without.

usage: python3 convert.py PROGRAM COUNT     in a directory of its own
"""

import random
import subprocess
import sys

program, count = sys.argv[1].split(), int(sys.argv[2])
TAKES = {"f": {"i8"}, "g": {"f32"}, "h": {"i8", "f32"}}
WIDTH = {"i8": 1, "f32": 4}
with open("takes.ops", "w") as file:
    file.write("f i8\ng f32\nh i8,f32\n")


def graph(rng):
    nodes = [("x", None, rng.choice(["i8", "f32"]), rng.choice([[1, 2, 2, 3], [5]]), [], 0)]
    lines = []
    for i in range(rng.randint(1, 9)):
        read = sorted(set(rng.choices(range(len(nodes)), k=rng.randint(1, 2))))
        nodes.append((f"n{i}", rng.choice("fghz"), rng.choice(["i8", "f32"]), rng.choice([[1, 2, 2, 3], [5]]), read, rng.randint(1, 9)))
    for name, op, dtype, shape, read, cpu in nodes:
        how = f"placeholder[target={name}]" if op is None else f"call_function[target={op}](args = ({', '.join('%' + nodes[r][0] for r in read)},), kwargs = {{}})"
        acc = "" if op is None else f" cpu={cpu} compute=1" + ("" if op == "z" else " acc=1")
        lines.append(f"    %{name} : [num_users=1] = {how}  # {dtype}{shape}{acc}")
    used = {r for node in nodes for r in node[4]}
    returned = [i for i in range(1, len(nodes)) if i not in used] or [len(nodes) - 1]
    text = "graph():\n" + "\n".join(lines) + f"\n    return ({', '.join(nodes[i][0] for i in returned)},)\n"
    return nodes, returned, text


def main():
    wrong = different = 0
    for seed in range(count):
        rng = random.Random(seed)
        nodes, returned, text = graph(rng)
        layouts = rng.random() < 0.4
        with open("net.fx", "w") as file:
            file.write(text)
        options = ["--layouts", "nchw,nhwc"] if layouts else []
        able = [i for i, node in enumerate(nodes) if node[1] not in (None, "z")]
        pairs = [(r, i) for i, node in enumerate(nodes) for r in node[4]] + [(i, None) for i in returned]

        def objects(end, value):
            return layouts and len(nodes[value][3]) == 4 or nodes[value][2] not in TAKES.get(nodes[end][1], ("i8", "f32"))

        def converts(on, value, user):
            return (value in on) != (user in on) and objects(value if value in on else user, value)

        size = [len(node[3]) == 4 and 12 * WIDTH[node[2]] or 5 * WIDTH[node[2]] for node in nodes]
        either = [any(v == value and (objects(v, v) and v in able or user in able and objects(user, v)) for v, user in pairs)
                  for value in range(len(nodes))]
        most, best = 0, 1e18
        for bits in range(1 << len(able)):
            on = {v for k, v in enumerate(able) if bits >> k & 1}
            if not any(converts(on, v, user) for v, user in pairs):
                most = max(most, len(on))
            time = sum(1 if i in on else node[5] for i, node in enumerate(nodes) if node[1])
            crossing = {v for v, user in pairs if (v in on) != (user in on)}
            best = min(best, time + sum(size[v] / 16 + (size[v] / 8 if either[v] else 0) for v in crossing))
        run = lambda *more: subprocess.run([*program, "split", "--acc-ops", "@takes.ops", "--porcelain", *options, *more, "net.fx"], capture_output=True, text=True, check=True).stdout
        limit = run("--no-convert")
        on = {int(word[1:]) + 1 for line in limit.splitlines() if line.startswith("subgraph ") and line.split()[2] == "acc" for word in line.split()[3:]}
        timed = run("--minimise", "time", "--bandwidth", "16", "--convert", "8")
        found = [float(line.split("best=")[1]) for line in timed.splitlines() if line.startswith("time ")][0]
        plain = run("--minimise", "time", "--bandwidth", "16") if not layouts else timed
        different += timed != plain
        if len(on) != most or any(converts(on, v, user) for v, user in pairs) or abs(found - best) > 1e-6:
            wrong += 1
            print(f"seed {seed}: {len(on)} nodes for {most}, {found} s for {best}\n{text}", file=sys.stderr)
    print(f"{count} graphs, {wrong} wrong, {different} with another choice for the sake of conversions")
    sys.exit(wrong != 0 or different == 0)


main()
