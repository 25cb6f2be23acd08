"""Writes a static site into a folder: manual, gallery, playground, benchmarks, formats, ways from other tools.

usage: python3 examples/site/site.py FOLDER PROGRAM [PAGE]
PROGRAM: build/graphsplit, whose output the pages show. PAGE: build/web/index.html, the playground, if it is built.
"""

import html
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import manual

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MENU = [("index.html", "Start"), ("manual.html", "Manual"), ("gallery.html", "Gallery"), ("playground.html", "Playground"),
        ("benchmarks.html", "Benchmarks"), ("formats.html", "Formats"), ("algorithms.html", "Algorithms"), ("from.html", "From other tools")]
# Model, operator list, what it is.
MODELS = [
    ("tflite_person_detect", "ethos-u55", "Person detection for microcontrollers (MobileNet v1 0.25, int8)"),
    ("tflite_mlperf_tiny_kws", "ethos-u55", "Keyword spotting of MLPerf Tiny (DS-CNN, int8)"),
    ("tflite_mlperf_tiny_resnet8", "xnnpack", "Image classification of MLPerf Tiny (ResNet-8, int8)"),
    ("tflite_deeplabv3_mnv2_dm05_pascal_quant", "edgetpu", "Segmentation (DeepLab v3 on MobileNet v2, int8)"),
    ("onnx_mnist", "xnnpack", "Digits of MNIST (two convolutions)"),
    ("onnx_light_squeezenet", "xnnpack", "SqueezeNet 1.0"),
    ("onnx_light_inception_v1", "tensorrt", "Inception v1 (GoogLeNet)"),
    ("onnx_silero_vad_16k", "coreml", "Voice activity detection (Silero, with LSTM)"),
]
POWERS = {0: "1 ", -1: "0.1 ", -2: "10 m", -3: "1 m", -4: "0.1 m", -5: "10 u"}
VIEWPORT = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Site:
    def __init__(self, folder, program):
        self.folder = folder
        self.names = []
        self.environment = dict(os.environ, PATH=os.path.dirname(os.path.abspath(program)) + os.pathsep + os.environ["PATH"])
        self.work = tempfile.TemporaryDirectory()
        self.environment["T"] = self.work.name

    def page(self, name, title, body, parent=None):
        """A page in the frame of all, and its title among what the search finds."""
        menu = " ".join('<a href="%s"%s>%s</a>' % (file, ' aria-current="page"' if file == (parent or name) else "", word)
                        for file, word in MENU if file != "playground.html" or self.has("playground.html"))
        self.names.append((title, name))
        text = ('<!doctype html>\n<html lang="en">\n<head>%s<title>%s - graphsplit</title>\n<link rel="stylesheet" href="style.css">\n'
                '<script defer src="names.js"></script><script defer src="search.js"></script></head>\n<body>\n<header><nav '
                'aria-label="pages">%s</nav><form role="search"><input id="search" type="search" aria-label="search the manual" '
                'placeholder="gsp_split_run" autocomplete="off"><ul id="found"></ul></form></header>\n<main>\n%s\n</main>\n</body>\n</html>\n')
        self.write(name, text % (VIEWPORT, html.escape(title), menu, body))

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def shell(self, command):
        """What a command prints where the models lie; a failing one ends the work."""
        done = subprocess.run(["sh", "-ec", command], cwd=os.path.join(ROOT, "examples/models"), env=self.environment,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit("site.py: %s: %s" % (command, done.stderr.strip()))
        return done.stdout

    def shown(self, command, lines=0):
        """A command with its first lines of output."""
        text = self.shell(command).rstrip("\n").split("\n")
        cut = text[:lines] + ["..."] if lines and len(text) > lines else text
        return '<pre tabindex="0">$ %s\n%s</pre>' % (html.escape(command), html.escape("\n".join(cut)))

    def fragment(self, name):
        """A file of pages/: its first line is the title; <run lines="8">command</run> is replaced by the command and its output."""
        with open(os.path.join(HERE, "pages", name), encoding="utf-8") as file:
            title, body = file.read().split("\n", 1)
        return title, re.sub(r'<run(?: lines="(\d+)")?>(.*?)</run>',
                             lambda m: self.shown(html.unescape(m.group(2)), int(m.group(1) or 0)), body)


# ---- The manual ----


def write_manual(site):
    header = read("graphsplit.h")
    addons = [(name, read("examples/extra/" + name)) for name in sorted(os.listdir(os.path.join(ROOT, "examples/extra")))]
    links = manual.index(header, addons)
    families = manual.families(header)
    rows = "".join('<li><a href="%s">%s</a><br>%s</li>' % (manual.file_of(f), f, html.escape(title)) for f, title, _, _ in families)
    body = "<h1>Manual</h1><p>Made from the comments of <code>graphsplit.h</code> and its add-ons.</p><ul class=\"cards\">%s%s</ul>" % (
        rows, '<li><a href="addons.html">Add-ons</a><br>Headers that need graphsplit.h alone</li>')
    for number, title, text in manual.guide(header):
        body += '<h2 id="s%s">%s %s<a class="mark" href="#s%s" aria-label="link to section %s">#</a></h2>' % (
            number, number, html.escape(title), number, number)
        body += links.prose(text) if number in "1267" else '<pre tabindex="0">%s</pre>' % links.link(text)
    site.page("manual.html", "Manual", body)
    for family, title, head, sections in families:
        body = "<h1>%s</h1><p>Family %s.</p>%s" % (html.escape(title), family, manual.show(head, links))
        body += "<ul>%s</ul>" % "".join('<li><a href="#section-%s">%s</a></li>' % (s, html.escape(t)) for s, t, _ in sections)
        for name, words, text in sections:
            body += '<h2 id="section-%s">%s<a class="mark" href="#section-%s" aria-label="link to %s">#</a></h2>%s' % (
                name, html.escape(words), name, name, manual.show(text, links))
        site.page(manual.file_of(family), title, body, "manual.html")
    body = "<h1>Add-ons</h1>"
    for name, text in addons:
        first = manual.uncomment(text[: text.index("*/") + 2])
        body += '<h2 id="%s">%s</h2>%s%s' % (name, name, links.prose(first), manual.show(manual.addon_api(text), links))
    site.page("addons.html", "Add-ons", body, "manual.html")
    site.names += [(name, where + "#" + name) for name, where in links.where.items()]


# ---- Gallery ----


def write_gallery(site):
    cards = ""
    for model, npu, what in MODELS:
        source = model + ".fx"
        site.shell("graphsplit split --acc-ops %s --html $T/report.html %s > /dev/null" % (npu, source))
        shutil.copy(os.path.join(site.work.name, "report.html"), os.path.join(site.folder, model + ".html"))
        site.shell("graphsplit memory --svg $T/arena.svg %s > /dev/null" % source)
        with open(os.path.join(site.work.name, "arena.svg"), encoding="utf-8") as file:
            arena = file.read()
        site.write(model + "-arena.svg", arena)
        body = "<h1>%s</h1><p><a href=\"%s.html\">The split as an interactive report</a>. <span class=\"soft\">%s</span></p>" % (
            html.escape(what), model, source)
        body += "<h2>What runs where</h2>" + site.shown("graphsplit split --acc-ops %s %s" % (npu, source), 22)
        body += "<h2>Memory</h2>" + site.shown("graphsplit memory %s" % source, 14)
        body += '<figure><img src="%s-arena.svg" alt="offsets of all tensors over time"><figcaption>Each tensor of the arena: steps from left to right, offsets upwards.</figcaption></figure>' % model
        body += "<h2>As a pipeline of two stages</h2>" + site.shown("graphsplit pipe --stages 2 --policy optimal %s" % source, 12)
        site.page(model + "-figures.html", what, body, "gallery.html")
        first = re.search(r"on acc: (.*?),?\n", site.shell("graphsplit split --acc-ops %s %s" % (npu, source)))
        cards += '<li><a href="%s-figures.html">%s</a><br>%s: %s</li>' % (model, html.escape(what), npu, html.escape(first.group(1)))
    site.page("gallery.html", "Gallery", "<h1>Gallery</h1><p>Eight published models. Each page has the commands that made it, and what they "
              "printed.</p><ul class=\"cards\">%s</ul>" % cards)


# ---- Benchmarks ----


def tables(name, source="examples/README.md"):
    """A table between its marks, as rows of cells."""
    text = re.search(r"<!-- %s -->\n(.*?)<!-- end of %s -->" % (name, name), read(source), re.S).group(1)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().split("\n")]
    return [rows[0]] + rows[2:]


def table(rows):
    def cell(text):
        return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))

    head = "".join("<th>%s</th>" % cell(c) for c in rows[0])
    body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % cell(c) for c in row) for row in rows[1:])
    return '<div class="wide" tabindex="0"><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></div>' % (head, body)


def seconds(text):
    match = re.match(r"([\d.]+) (us|ms|s)$", text)
    return float(match.group(1)) * {"us": 1e-6, "ms": 1e-3, "s": 1}[match.group(2)] if match else None


def plot(rows):
    """Times over nodes, both logarithmic: a line per pass."""
    width, height, left, bottom = 900, 430, 70, 40
    sizes = [(i, float(re.match(r"10\^(\d)$", c).group(1))) for i, c in enumerate(rows[0]) if re.match(r"10\^\d$", c)]
    low, high = -5.5, 0.5

    def at(exponent, value):
        return "%.1f,%.1f" % (left + (exponent - 3) / 3 * (width - left - 260), 15 + (high - math.log10(value)) / (high - low) * (height - bottom - 15))

    out = []
    for power in range(-5, 1):
        y = at(3, 10.0 ** power).split(",")[1]
        out.append('<line x1="%d" y1="%s" x2="%d" y2="%s" stroke="currentColor" opacity=".15"/><text x="8" y="%s">%ss</text>' % (
            left, y, width - 260, y, float(y) + 4, POWERS[power]))
    for exponent in range(3, 7):
        out.append('<text x="%s" y="%d" text-anchor="middle">%s nodes</text>' % (at(exponent, 1).split(",")[0], height - 12, format(10 ** exponent, ",")))
    ends = []
    for k, row in enumerate(rows[1:]):
        points = [(e, seconds(row[i])) for i, e in sizes if seconds(row[i])]
        if len(points) < 2:
            continue
        colour = "hsl(%d 65%% 50%%)" % (k * 47 % 360)
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (colour, " ".join(at(*p) for p in points)))
        x, y = (float(v) for v in at(*points[-1]).split(","))
        if points[-1][0] < sizes[-1][1]:
            out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/><text x="%.1f" y="%.1f">%s</text>' % (
                x, y, colour, x + 8, y + 4, html.escape(re.sub(r"`|:.*|,.*", "", row[0]))))
            continue
        ends.append([y, x, colour, re.sub(r"`|:.*|,.*", "", row[0])])
    below = 0.0
    for y, x, colour, label in sorted(ends):
        below = max(y, below + 15)
        out.append('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/><text x="%d" y="%.1f">%s</text><path d="M%.1f %.1fL%d %.1f" stroke="%s" opacity=".6"/>' % (
            x, y, colour, width - 245, below + 4, html.escape(label), x + 4, y, width - 250, below, colour))
    return '<svg viewBox="0 0 %d %d" role="img" aria-label="time of each pass over the number of nodes" font-size="13" fill="currentColor">%s</svg>' % (
        width, height, "".join(out))


def write_benchmarks(site):
    times = tables("times")
    site.page("benchmarks.html", "Benchmarks", "<h1>Benchmarks</h1><p>The tables are those of README and examples/README, with their dates; layered random graphs, two "
              "edges per node. <code>make bench-readme</code> and <code>make bench-peers</code> write them anew.</p>"
              "<h2>Against other tools</h2>%s<h2>Time of each pass</h2><figure>%s<figcaption>Seconds over nodes.</figcaption></figure>%s"
              "<h2>Code size</h2>%s" % (table(tables("against", "README.md")), plot(times), table(times), table(tables("size"))))


# ---- All ----


def main(folder, program, playground=None):
    os.makedirs(folder, exist_ok=True)
    site = Site(folder, program)
    if playground and os.path.exists(playground):
        shutil.copy(playground, os.path.join(folder, "playground.html"))
    for name in ("style.css", "search.js"):
        shutil.copy(os.path.join(HERE, name), folder)
    ways = []
    for name in sorted(os.listdir(os.path.join(HERE, "pages"))):
        title, body = site.fragment(name)
        if name == "from.html":
            continue
        site.page(name, title, body, "from.html" if name.startswith("from-") else None)
        if name.startswith("from-"):
            ways.append('<li><a href="%s">%s</a></li>' % (name, html.escape(title)))
    title, body = site.fragment("from.html")
    site.page("from.html", title, body + '<ul class="cards">%s</ul>' % "".join(ways))
    write_manual(site)
    write_gallery(site)
    write_benchmarks(site)
    site.write("names.js", "const NAMES = %s;\n" % json.dumps(sorted(set(site.names)), indent=0))
    total = sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    print("%s: %d files, %d bytes" % (os.path.join(folder, "index.html"), len(os.listdir(folder)), total))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
