'use strict';
// The picture, the panel and the search of a split. show(data) shows one, or another one.
const NAME = 0, OP = 1, CLASS = 2, TYPE = 3, BYTES = 4, PARAMS = 5, SUB = 6, WHY = 7, CULPRIT = 8,
    INPUTS = 9;
const OPS = ['', 'placeholder', 'get_attr', 'call_function', 'call_method', 'call_module', 'output'];
const PLACEHOLDER = 1, GET_ATTR = 2, OUTPUT = 6;
const MOST = 80;   // children of one box; more are put into boxes of their own
const $ = id => document.getElementById(id);
let D, nodes, users, attributes;   // the data, its nodes, who reads each, and keys and values of each
let least;   // which figures are lower bounds

// ---- words ----

const esc = s => String(s).replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';');
const DIGITS = new Intl.NumberFormat('en'), number = n => DIGITS.format(n);
const count = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');
const clip = (s, n) => s.length > n ? s.slice(0, n - 1) + '\u2026' : s;
// As the command line has them: to the nearest, and peaks upward.
function bytes(b, round = Math.round) {
    if (b < 1024) return b + ' B';
    let i = 0;
    for (b /= 1024; round(b) >= 1000 && i < 5; i++) b /= 1024;
    const tenths = round(10 * b);
    return (tenths >= 1000 ? round(b) : Math.floor(tenths / 10) + '.' + tenths % 10) + ' '
        + ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'][i];
}
// Of what is not known: a lower bound, or nothing.
const sized = (b, least, round) => !least ? bytes(b, round) : b ? '>= ' + bytes(b, round) : '?';
// The unit of what is printed: 0.9996 s is 1 s, not 1000 ms.
const seconds = s => (s = Number(s.toPrecision(3)), Math.abs(s) >= 1) ? s + ' s' : Math.abs(s) >= 1e-3
    ? Number((1e3 * s).toPrecision(3)) + ' ms' : Number((1e6 * s).toPrecision(3)) + ' us';
// Never all of it, nor nothing, when it is not.
function percent(part, whole) {
    if (part === whole || !whole) return '100 %';
    const tenths = Math.min(999, Math.round(1000 * part / whole));
    return part && !tenths ? '< 0.1 %' : (tenths / 10).toFixed(1) + ' %';
}
const isCall = n => n[OP] > GET_ATTR && n[OP] < OUTPUT;
const kindOf = v => nodes[v][SUB] < 0 ? -1 : D.subgraphs[nodes[v][SUB]].kind;
const kindClass = kind => kind < 0 ? '' : 'k' + Math.min(kind, 5);
const operator = v => D.operators[nodes[v][CLASS]] || OPS[nodes[v][OP]];
const objection = v => D.objections[v] ? D.objections[v][1] : '';
const reasonOf = v => D.objections[v] ? D.unfit[D.objections[v][0]] : D.reasons[nodes[v][WHY]];
const because = v => reasonOf(v) + (objection(v) ? ': ' + objection(v) : '');
const titleOf = v => nodes[v][OP] === OUTPUT ? 'output' : nodes[v][NAME];
function tally(list, key) {
    const groups = new Map();
    list.forEach(x => groups.set(key(x), (groups.get(key(x)) || 0) + 1));
    return [...groups].sort((a, b) => b[1] - a[1]);
}

// ---- boxes in boxes: the graph, its subgraphs, runs of nodes, nodes ----

let items, leafOf, root, subgraphBox;
let oldLeaves = [];   // of another split of the same graph
function box(label, kind, children, sub) {
    const b = { id: items.length, label, kind, children, sub, open: false, node: -1, size: 0,
        key: (children.length ? children[0].key : 'none') + '/' };
    items.push(b);
    children.forEach((c, k) => { c.parent = b; c.place = k; b.size += c.size; });
    return b;
}
// What a leaf is written with is the same in another split.
function leaf(v) {
    const i = oldLeaves[v] || { label: titleOf(v), children: null, node: v, size: 1, key: 'n' + v };
    i.id = items.length;
    i.kind = kindOf(v);
    items.push(i);
    leafOf[v] = i;
    return i;
}
// Runs of consecutive children: what they read from each other still goes forwards.
function fold(list, kind, sub) {
    while (list.length > MOST) {
        const runs = [], step = Math.ceil(list.length / Math.ceil(list.length / MOST));
        for (let i = 0; i < list.length; i += step) {
            const run = list.slice(i, i + step), last = run[run.length - 1];
            const kinds = new Set(run.map(r => r.kind));
            runs.push(box(first(run[0]) + ' \u2026 ' + first(last, true), kinds.size > 1 ? -1 : kind, run,
                sub));
        }
        list = runs;
    }
    return list;
}
function first(item, last) {
    while (item.children && item.sub === undefined) item = item.children[last ? item.children.length - 1 : 0];
    return item.label.split(' \u2026 ')[last ? item.label.split(' \u2026 ').length - 1 : 0];
}
function buildTree() {
    const inputs = [], top = [], members = D.subgraphs.map(() => []);
    const returned = new Set(nodes.length ? nodes[nodes.length - 1][INPUTS] : []);
    let output = null;
    items = [];
    placeIn = { box: new Int32Array(nodes.length).fill(-1), child: new Int32Array(nodes.length) };
    leafOf = new Array(nodes.length).fill(null);
    nodes.forEach((n, v) => {
        if (n[OP] === OUTPUT) output = leaf(v);
        else if (n[SUB] >= 0) members[n[SUB]].push(leaf(v));
        else if (n[OP] === PLACEHOLDER || returned.has(v)) inputs.push(leaf(v));
    });
    if (inputs.length > 3) top.push(box('inputs', -1, fold(inputs, -1)));
    else top.push(...inputs);
    subgraphBox = D.subgraphs.map((s, i) => {
        const b = box(s.tag, s.kind, fold(members[i], s.kind), i);
        b.isSubgraph = true;
        return b;
    });
    top.push(...fold(subgraphBox, -1));
    if (output) top.push(output);
    root = box('', -1, top);
    root.open = true;
}
function pathOf(item) {
    const path = [];
    for (; item; item = item.parent) path.unshift(item);
    return path;
}
// What passes between the children of a box: found when it is opened.
let placeIn;   // of each node: the box that was asked last, and which of its children has the node
function linksOf(group) {
    if (group.links) return group.links;
    const found = new Map(), n = group.children.length;
    group.children.forEach((c, k) => leaves(c).forEach(v => { placeIn.box[v] = group.id; placeIn.child[v] = k; }));
    group.children.forEach((c, to) => leaves(c).forEach(v => nodes[v][INPUTS].forEach(u => {
        const from = placeIn.child[u];
        if (placeIn.box[u] === group.id && from !== to) found.set(from * n + to, [from, to]);
    })));
    return group.links = [...found.values()].sort((a, b) => a[1] - b[1]);
}

// ---- layers: longest paths down, then rows are sorted by the middle of their neighbours ----

const GAP = 30, ROW = 50, HEAD = 34, PAD = 18;
const SMALL = 11;   // the least size of a text
const WIDE = document.createElement('canvas').getContext('2d'), widths = new Map();
let family = '';
function textWidth(s, size, weight) {
    family = family || getComputedStyle(document.body).fontFamily;
    const key = size + (weight || '') + s;
    if (!widths.has(key)) {
        WIDE.font = (weight || '') + ' ' + size + 'px ' + family;
        widths.set(key, WIDE.measureText(s).width);
    }
    return widths.get(key);
}
function leaves(item) {
    if (item.all) return item.all;
    item.all = item.children ? [] : [item.node];
    if (item.children) item.children.forEach(c => { for (const v of leaves(c)) item.all.push(v); });
    return item.all;
}
let lines = item => {
    if (item.children) {
        const s = item.isSubgraph ? D.subgraphs[item.sub] : null;
        const list = leaves(item), out = ['\u25b8 ' + clip(item.label, 44), count(item.size, 'node')];
        if (s && s.params) out[1] += ', ' + sized(s.params, least.params.has(item.sub)) + ' of parameters';
        if (s) {
            const most = tally(list, operator);
            out.push(clip(most.slice(0, 2).map(([name, n]) => name.replace(/^.*\./, '') + ' \u00d7 ' + n).join(', ')
                + (most.length > 2 ? ', \u2026' : ''), 48));
        }
        return out;
    }
    const n = nodes[item.node];
    const out = [clip(item.label, 40)];
    if (n[OP] !== OUTPUT) out.push(clip(isCall(n) ? operator(item.node) : OPS[n[OP]], 40));
    if (n[TYPE] >= 0) out.push(clip(D.types[n[TYPE]], 40));
    return out;
};
function measure(item) {
    if (item.children && item.open) return layout(item);
    if (!item.lines) {
        item.lines = lines(item);
        item.ownW = Math.max(96, ...item.lines.map((t, i) => textWidth(t, i ? SMALL : 12.5, i ? '' : '600') + 34));
        item.ownH = 18 + 16 * item.lines.length + (item.children && item.kind < 0 ? 6 : 0);
    }
    item.w = item.ownW;
    item.h = item.ownH;
}
// Rows: all children by layer, and the bends of edges that pass rows, one chain a source.
function layers(group, kids, links) {
    const layer = kids.map(() => 0), up = kids.map(() => []), down = kids.map(() => []);
    links.forEach(([a, b]) => {
        layer[b] = Math.max(layer[b], layer[a] + 1);
        up[b].push(a);
        down[a].push(b);
    });
    for (let i = kids.length - 1; i >= 0; i--) {   // sources stand right above their first readers
        if (!up[i].length && down[i].length) layer[i] = Math.min(...down[i].map(d => layer[d])) - 1;
    }
    const rows = [];
    kids.forEach((k, i) => (rows[layer[i]] = rows[layer[i]] || []).push(i));
    const all = kids.slice(), bends = kids.map(() => []);
    group.bends = new Map();
    links.forEach(([a, b]) => {
        for (let l = layer[a] + 1, before = a; l < layer[b]; before = bends[a][l], l++) {
            if (bends[a][l] === undefined) {
                bends[a][l] = all.length;
                all.push({ w: 12, h: 0 });
                layer.push(l);
                up.push([before]);
                down.push([]);
                down[before].push(bends[a][l]);
                (rows[l] = rows[l] || []).push(bends[a][l]);
            }
        }
        if (layer[b] - layer[a] > 1) {
            const end = bends[a][layer[b] - 1];
            up[b] = up[b].map(u => u === a ? end : u);
            down[a] = down[a].filter(d => d !== b);
            down[end].push(b);
            group.bends.set(a * kids.length + b, bends[a].slice(layer[a] + 1, layer[b]).map(i => all[i]));
        }
    });
    return { rows: rows.filter(r => r), all, up, down };
}
function layout(group) {
    const kids = group.children, links = linksOf(group);
    kids.forEach(measure);
    const { rows, all, up, down } = layers(group, kids, links);
    const x = all.map(() => 0);
    const widest = Math.max(900, 120 * Math.sqrt(kids.length) * 2);
    const pack = row => {
        const total = row.reduce((s, i) => s + all[i].w + GAP, -GAP);
        let at = -total / 2;
        row.forEach(i => { x[i] = at + all[i].w / 2; at += all[i].w + GAP; });
    };
    const middle = (i, list) => list.length ? list.reduce((s, j) => s + x[j], 0) / list.length : x[i];
    rows.forEach(pack);
    for (let pass = 0; pass < 4; pass++) {
        const beside = pass % 2 ? down : up;
        (pass % 2 ? rows.slice().reverse() : rows).forEach(row => {
            const key = new Map(row.map(i => [i, middle(i, beside[i])]));
            row.sort((a, b) => key.get(a) - key.get(b));
            pack(row);
        });
    }
    const broken = [];   // rows that are too wide go on in the next
    rows.forEach(row => {
        let now = [], width = 0;
        row.forEach(i => {
            if (now.length && width + all[i].w > widest) { broken.push(now); now = []; width = 0; }
            now.push(i);
            width += all[i].w + GAP;
        });
        broken.push(now);
    });
    broken.forEach(pack);
    // A row with room moves under what it reads: boxes under boxes and bends under bends, or a long
    // chain with an edge beside it would drift to one side.
    const above = (i, row) => {
        const same = up[i].filter(u => (u < kids.length) === (i < kids.length));
        return middle(i, same.length && row.length > 1 ? same : up[i]);
    };
    broken.forEach(row => {
        const shift = row.reduce((s, i) => s + above(i, row) - x[i], 0) / row.length;
        row.forEach(i => { x[i] += shift; });
    });
    const left = Math.min(...all.map((k, i) => x[i] - k.w / 2));
    const right = Math.max(...all.map((k, i) => x[i] + k.w / 2));
    let y = group === root ? 0 : HEAD + 8;
    broken.forEach(row => {
        const h = Math.max(...row.map(i => all[i].h));
        row.forEach(i => {
            all[i].x = x[i] - all[i].w / 2 - left + PAD;
            all[i].y = y + (h - all[i].h) / 2;
        });
        y += h + ROW;
    });
    const title = group === root ? 0 : textWidth(group.label + count(group.size, 'node'), 12.5, '600') + 70;
    group.w = Math.max(right - left + 2 * PAD, title);
    group.h = y - ROW + PAD;
    const slack = (group.w - (right - left + 2 * PAD)) / 2;
    all.forEach(k => { k.x += slack; });
}

// ---- drawing ----

let chosen = null;
const view = $('view'), svg = $('svg');
let at = { x: 0, y: 0, k: 1 }, touched = false;
function place(item, x, y, out) {
    item.ax = x;
    item.ay = y;
    if (item !== root) out.push(item);
    if (item.children && item.open) item.children.forEach(c => place(c, x + c.x, y + c.y, out));
}
function visibleEdges(boxes) {
    const edges = new Map(), shown = new Array(nodes.length);
    boxes.forEach(i => leaves(i).forEach(v => { shown[v] = i; }));
    nodes.forEach((n, v) => {
        const to = shown[v];
        if (!to) return;
        n[INPUTS].forEach(u => {
            const from = shown[u];
            if (!from || from === to) return;
            const key = from.id * items.length + to.id;
            let e = edges.get(key);
            if (!e) edges.set(key, e = { from, to, values: new Set(), bytes: 0 });
            if (!e.values.has(u)) { e.values.add(u); e.bytes += nodes[u][BYTES]; }
        });
    });
    return [...edges.values()];
}
// How many nodes of a box with several kinds each of them has, as a bar at its lower edge.
function drawShares(i) {
    if (!i.children || i.open || i.kind >= 0 || i.isSubgraph) return '';
    if (!i.shares) i.shares = tally(leaves(i), kindOf).filter(([kind]) => kind >= 0).sort((a, b) => b[0] - a[0]);
    const whole = i.shares.reduce((s, [, n]) => s + n, 0), width = i.w - 24;
    let x = 14;
    return i.shares.map(([kind, n]) => {
        const w = width * n / whole, part = '<path class="' + kindClass(kind) + '" d="M' + x + ',' + (i.h - 8)
            + ' h' + w + ' v4 h' + -w + ' z"/>';
        x += w;
        return part;
    }).join('');
}
// What pages that know more say of an item: a class, and a description.
let paint = () => ['', ''];
// What is drawn: a key that is the same in the next picture, the element, where it stands, and its attributes that
// say which it is, for they change more often than the rest.
const entry = (prefix, i, html) => ({ key: prefix + i.key, html, move: 'translate(' + i.ax + ',' + i.ay + ')' });
function drawItem(i) {
    const open = i.children && i.open, own = kindClass(i.kind), round = i.node >= 0 && i.kind < 0;
    const [more, says] = open ? ['', ''] : paint(i);
    const text = open ? '' : i.lines.map((t, k) => '<text text-anchor="middle" x="' + (i.w / 2 + (round ? 0 : 2))
        + '" y="' + (22 + 16 * k) + '"' + (k ? ' class="sub"' : '') + '>' + esc(t) + '</text>').join('');
    const side = round ? '' : '<path class="' + own + '" d="M9,0 a9,9 0 0 0 -9,9 v' + (i.h - 18)
        + ' a9,9 0 0 0 9,9 c-3,-1 -4,-4 -4,-9 v' + (18 - i.h) + ' c0,-5 1,-8 4,-9 z"/>';
    return { ...entry('i', i, '<g class="item' + (open ? ' frame' : i.children ? ' closed' : ' leaf') + more
        + (i === chosen ? ' chosen' : '') + '" tabindex="0" role="button"'
        + (says ? ' aria-description="' + esc(says) + '"' : '')
        + (i.children ? ' aria-expanded="' + open + '"' : '') + (open ? ' aria-label="' + esc(i.label) + '"' : '')
        + '><rect class="' + own + '" width="' + i.w + '" height="' + i.h + '" rx="'
        + (round ? i.h / 2 : 9) + '"/>' + side + drawShares(i) + text + '</g>'), names: { 'data-i': i.id } };
}
// Titles of open boxes stand above the edges.
function drawTitle(i) {
    return entry('t', i, '<g class="title ' + kindClass(i.kind) + '"><text x="16" y="22">\u25be '
        + esc(i.label) + '</text><text class="sub" text-anchor="end" x="' + (i.w - 14) + '" y="22">'
        + count(i.size, 'node') + '</text></g>');
}
// Writes what differs of an element into another with the same parts; false if it has others.
function rewrite(old, made) {
    if (old.nodeName !== made.nodeName || old.childNodes.length !== made.childNodes.length) return false;
    if (!made.attributes) {
        if (old.data !== made.data) old.data = made.data;
        return true;
    }
    if ([...old.attributes].some(a => !made.hasAttribute(a.name) && !/^(transform|data-.*)$/.test(a.name))) return false;
    for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    return [...old.childNodes].every((c, k) => rewrite(c, made.childNodes[k]));
}
// Puts entries into a layer of the picture. What was drawn there before and is the same stays.
const LAYERS = ['frames', 'edges', 'titles', 'labels', 'boxes'].map(() => {
    const layer = document.createElementNS(svg.namespaceURI, 'g');
    return { layer: $('view').appendChild(layer), drawn: new Map() };
});
function put(to, entries) {
    const { layer, drawn } = to, made = document.createElementNS(svg.namespaceURI, 'g');
    const isSame = e => drawn.has(e.key) && drawn.get(e.key).html === e.html;
    const others = entries.filter(e => !isSame(e));
    made.innerHTML = others.map(e => e.html).join('');
    const elements = [...made.children];
    others.forEach((e, k) => {
        const was = drawn.get(e.key);
        if (!was || !rewrite(was.element, elements[k])) e.element = elements[k];
    });
    entries.forEach(e => {
        const was = e.element ? { names: {} } : drawn.get(e.key);
        e.element = e.element || was.element;
        if (e.move !== was.move) e.element.setAttribute('transform', e.move);
        for (const name in e.names) if (e.names[name] !== was.names[name]) e.element.setAttribute(name, e.names[name]);
    });
    to.drawn = new Map(entries.map(e => [e.key, e]));
    drawn.forEach((was, key) => {
        if (!to.drawn.has(key) || to.drawn.get(key).element !== was.element) was.element.remove();
    });
    let next = layer.firstChild;
    entries.forEach(e => {
        if (e.element === next) next = next.nextSibling;
        else layer.insertBefore(e.element, next);
    });
}
// The points where an edge bends: those of the link between the boxes that stand side by side, and
// beside the boxes that it passes inside of an open one.
function bendsOf(e) {
    const a = pathOf(e.from), b = pathOf(e.to), side = PAD / 2, points = [];
    let k = 0;
    while (a[k] === b[k]) k++;
    const group = a[k - 1], list = group.bends.get(a[k].place * group.children.length + b[k].place) || [];
    const lane = (box, x) => x > box.ax + box.w / 2 ? box.ax + box.w - side : box.ax + side;
    const bends = list.map(p => [group.ax + p.x + p.w / 2, group.ay + p.y]);
    if (a[k] !== e.from && a[k].ay + a[k].h - e.from.ay - e.from.h > ROW + 40) {
        const x = lane(a[k], bends.length ? bends[0][0] : b[k].ax + b[k].w / 2);
        points.push([x, e.from.ay + e.from.h + ROW], [x, a[k].ay + a[k].h - 4]);
    }
    points.push(...bends);
    if (b[k] !== e.to && e.to.ay - b[k].ay > HEAD + 40) {
        const x = lane(b[k], bends.length ? bends[bends.length - 1][0] : a[k].ax + a[k].w / 2);
        points.push([x, b[k].ay + 4], [x, e.to.ay - ROW]);
    }
    // What it says stands between the boxes.
    const spot = bends.length ? bends[bends.length >> 1]
        : [(e.from.ax + e.from.w / 2 + e.to.ax + e.to.w / 2) / 2, (a[k].ay + a[k].h + b[k].ay) / 2];
    return { points, spot };
}
function drawEdge(e, many, labels) {
    const { points: between, spot } = bendsOf(e);
    const x0 = e.from.ax + e.from.w / 2, y0 = e.from.ay + e.from.h, key = e.from.key + '>' + e.to.key;
    const points = [[x0, y0], ...between, [e.to.ax + e.to.w / 2, e.to.ay - 1]].map(([x, y]) => [x - x0, y - y0]);
    const width = 1.1 + Math.min(3, Math.max(0, Math.log10(e.bytes + 1) - 3) / 2);
    let d = 'M' + points[0];
    for (let i = 1; i < points.length; i++) {
        const [x1, y1] = points[i - 1], [x2, y2] = points[i];
        const bend = Math.max(16, Math.min(70, Math.abs(y2 - y1) / 2));
        d += x1 === x2 ? ' L' + points[i]
            : ' C' + x1 + ',' + (y1 + bend) + ' ' + x2 + ',' + (y2 - bend) + ' ' + x2 + ',' + y2;
    }
    if (!many && (e.from.children || e.to.children)) {
        const says = (e.values.size > 1 ? count(e.values.size, 'value') + ', ' : '')
            + sized(e.bytes, [...e.values].some(isLeast));
        labels.push({ key, x: spot[0], y: spot[1], says, bytes: e.bytes });
    }
    return { key, html: '<path class="edge" stroke-width="' + width.toFixed(2) + '" stroke-opacity="' + (many ? .45 : .8)
        + '" d="' + d + '"/>', move: 'translate(' + x0 + ',' + y0 + ')', names: { 'data-a': e.from.id, 'data-b': e.to.id } };
}
// The larger ones first, on the side that is free; where neither is, there is none.
function drawLabels(labels, boxes) {
    const taken = boxes.map(i => [i.ax, i.ay, i.ax + i.w, i.ay + i.h]);
    return labels.sort((a, b) => b.bytes - a.bytes).flatMap(l => {
        const w = textWidth(l.says, SMALL), left = l.x < root.w / 2 - 2;
        for (const side of left ? [-1, 1] : [1, -1]) {
            const x = side < 0 ? l.x - 8 - w : l.x + 8, spot = [x, l.y - 7, x + w, l.y + 7];
            if (taken.some(t => t[0] < spot[2] && spot[0] < t[2] && t[1] < spot[3] && spot[1] < t[3])) continue;
            taken.push(spot);
            return [{ key: l.key, html: '<g><text class="label">' + l.says + '</text></g>', move: 'translate(' + x + ',' + (l.y + 3) + ')' }];
        }
        return [];
    });
}
function draw() {
    const list = [], labels = [], drawn = () => [...LAYERS[0].drawn.values(), ...LAYERS[4].drawn.values()];
    const focus = drawn().find(e => e.element === document.activeElement);
    layout(root);
    place(root, 0, 0, list);
    const frames = list.filter(i => i.children && i.open), boxes = list.filter(i => !(i.children && i.open));
    const edges = visibleEdges(boxes);
    light(-1);
    const lines = edges.map(e => drawEdge(e, edges.length > 120, labels));
    [frames.map(drawItem), lines, frames.map(drawTitle), drawLabels(labels, boxes), boxes.map(drawItem)]
        .forEach((entries, k) => put(LAYERS[k], entries));
    const again = focus && focus.element !== document.activeElement && drawn().find(e => e.key === focus.key);
    if (again) again.element.focus({ preventScroll: true });
}
function move() {
    view.setAttribute('transform', 'translate(' + at.x + ',' + at.y + ') scale(' + at.k + ')');
    $('picture').style.backgroundPosition = at.x + 'px ' + at.y + 'px';
}
// The size of the picture, which takes the browser long to find while something is new.
let room = null;
const roomNow = () => room && room.width ? room : (room = svg.getBoundingClientRect());
new ResizeObserver(() => { room = null; }).observe(svg);
// All of it, or from the top what can be read: no text below 10 pixels.
function fit(whole) {
    const r = roomNow(), top = root.children[0] || root;
    at.k = Math.min(1.15, (r.width - 40) / root.w, (r.height - 110) / root.h);
    at.k = Math.max(at.k, whole === true ? .02 : 10 / SMALL);
    at.x = r.width / 2 - at.k * (root.w * at.k > r.width ? top.ax + top.w / 2 : root.w / 2);
    at.y = Math.max(52, (r.height - root.h * at.k) / 2);
    touched = false;
    move();
}
function zoom(factor, x, y) {
    touched = true;
    const k = Math.min(4, Math.max(.02, at.k * factor));
    at.x = x - (x - at.x) * k / at.k;
    at.y = y - (y - at.y) * k / at.k;
    at.k = k;
    move();
}
// The middle of an item in the middle of the picture, large enough to be read.
function center(item) {
    touched = true;
    const r = roomNow();
    at.k = Math.max(at.k, Math.min(1, (r.width - 40) / item.w));
    at.x = r.width / 2 - (item.ax + item.w / 2) * at.k;
    at.y = item.h * at.k > r.height - 60 ? 50 - item.ay * at.k
        : r.height / 2 - (item.ay + item.h / 2) * at.k;
    move();
}
// Opens or closes a box, which stays where it is on the screen.
function toggle(item) {
    const x = (item.ax + item.w / 2) * at.k + at.x, y = item.ay * at.k + at.y;
    item.open = !item.open;
    touched = true;
    choose(item);
    draw();
    at.x = x - (item.ax + item.w / 2) * at.k;
    at.y = y - item.ay * at.k;
    move();
    const r = roomNow();
    if (item.open && (item.w * at.k > r.width || at.y + item.ay * at.k < 0)) center(item);
}
function reveal(item) {
    for (let p = item.parent; p; p = p.parent) p.open = true;
    choose(item);
    draw();
    center(item);
    light(item.id);
}
// A parameter is in no box.
function showNode(v) {
    if (leafOf[v]) reveal(leafOf[v]);
    else choose({ node: v });
}
function choose(item) {
    chosen = item;
    openTab('Details');
}
function openTab(name) {
    tab = name;
    showPanel();
    writeAddress();
}

// ---- the part of the address behind '#': a tab, a node or a subgraph ----

function writeAddress() {
    const [key, name] = tab !== 'Details' || !chosen ? ['tab', tab]
        : chosen.node >= 0 ? ['node', titleOf(chosen.node)]
        : chosen.isSubgraph ? ['subgraph', chosen.label] : ['tab', tab];
    const address = '#' + new URLSearchParams([[key, name]]);
    if (address !== location.hash) history.replaceState(null, '', address);
}
function followAddress() {
    const to = new URLSearchParams(location.hash.slice(1));
    const v = to.has('node') ? nodes.findIndex((n, i) => titleOf(i) === to.get('node')) : -1;
    const box = subgraphBox.find(b => b.label === to.get('subgraph'));
    if (v >= 0) showNode(v);
    else if (box) reveal(box);
    else if (to.get('tab') in PANELS) openTab(to.get('tab'));
}
addEventListener('hashchange', () => { if (D) followAddress(); });

// ---- the panel ----

const chip = v => '<button type="button" class="chip" data-node="' + v + '"'
    + (D.objections[v] ? ' title="' + esc(because(v)) + '"' : '') + '>' + esc(titleOf(v)) + '</button>';
const chips = list => list.length ? '<div class="chips">' + list.slice(0, 100).map(chip).join('')
    + (list.length > 100 ? '<span>and ' + number(list.length - 100) + ' more</span>' : '') + '</div>' : 'none';
const dot = kind => '<i class="dot ' + kindClass(kind) + '"></i>';
const row = (name, value) => '<dt>' + name + '</dt><dd>' + value + '</dd>';
const onAcc = v => kindOf(v) > 0;

// Answers with a sentence about a node, for pages that know more than the data; null: there is none.
let explain = null;

function nodeDetails(v) {
    const n = nodes[v];
    let out = '<h2>' + dot(kindOf(v)) + esc(titleOf(v)) + '</h2><p id="says"></p><dl>';
    out += row('operator', esc(operator(v))) + row('kind of node', OPS[n[OP]]);
    if (n[TYPE] >= 0) out += row('type', esc(D.types[n[TYPE]]));
    if (n[OP] !== OUTPUT) out += row('output', sized(n[BYTES], isLeast(v)));
    if (n[PARAMS]) {
        out += row('parameters', sized(n[PARAMS], [v, ...n[INPUTS]].some(u => nodes[u][OP] === GET_ATTR && isLeast(u))));
    }
    const own = attributes.get(v) || [];
    for (let i = 0; i < own.length; i += 2) out += row(esc(own[i]), esc(own[i + 1]));
    if (n[SUB] >= 0) {
        const s = D.subgraphs[n[SUB]];
        out += row('runs in', '<button type="button" class="chip" data-sub="' + n[SUB] + '">' + dot(s.kind)
            + esc(s.tag) + '</button>');
        out += row('because', esc(because(v)) + (n[CULPRIT] >= 0 ? ': ' + chip(n[CULPRIT]) : ''));
    }
    if (explain) {
        explain(v).then(sentence => {
            if (chosen && chosen.node === v && $('says')) $('says').textContent = sentence;
        });
    }
    return out + '</dl><h3>Reads</h3>' + chips(n[INPUTS]) + '<h3>Read by</h3>' + chips(users[v]);
}
function boxDetails(item) {
    const list = leaves(item);
    let out = '<h2>' + dot(item.kind) + esc(item.label) + '</h2><dl>' + row('nodes', number(item.size));
    if (item.isSubgraph) {
        const s = D.subgraphs[item.sub];
        out += row('runs on', esc(D.kinds[s.kind])) + row('takes in', count(s.n_in, 'value') + ', '
            + sized(s.in, least.in.has(item.sub))) + row('hands on', count(s.n_out, 'value') + ', '
            + sized(s.out, least.out.has(item.sub)));
        if (D.peaks && D.peaks.length) out += row('peak', sized(D.peaks[item.sub], least.peak.has(item.sub), Math.ceil));
        out += row('parameters', sized(s.params, least.params.has(item.sub)));
    }
    return out + '</dl><h3>Operators</h3><table><tbody>' + tally(list, operator).slice(0, 12).map(([name, n]) =>
        '<tr data-find="' + esc(name) + '"><td><button type="button">' + esc(name) + '</button></td><td class="n">' + n + '</td></tr>').join('')
        + '</tbody></table><h3>Nodes</h3>' + chips(list);
}
// A row: its attributes, its cells, of which the first is for the keyboard, and what it is sorted by.
const sorted = {};   // of each table that was: [column, 1 or -1]
function table(head, rows) {
    const id = head.join(), most = 300, more = rows.length - most, [by, way] = sorted[id] || [-1, 1];
    const sort = i => i !== by ? 'none' : way > 0 ? 'ascending' : 'descending';
    if (by >= 0) rows.sort((a, b) => way * (a[2][by] < b[2][by] ? -1 : a[2][by] > b[2][by] ? 1 : 0));
    return '<table><thead><tr>' + head.map((h, i) => '<th scope="col" aria-sort="' + sort(i) + '"'
        + (h[0] === '#' ? ' class="n"' : '') + '><button type="button" data-sort="' + i + '" data-table="' + id + '">'
        + h.replace('#', '') + '</button></th>').join('') + '</tr></thead><tbody>'
        + rows.slice(0, most).map(([attributes, cells]) => '<tr' + attributes + '>' + cells + '</tr>').join('')
        + '</tbody></table>' + (more > 0 ? '<p class="note">and ' + number(more) + ' more</p>' : '');
}
// Names from a to z at first, figures from the largest.
function sortTable(id, by) {
    const before = sorted[id];
    sorted[id] = [by, before && before[0] === by ? -before[1] : id.split(',')[by][0] === '#' ? -1 : 1];
    showPanel();
    document.querySelector('[data-table="' + id + '"][data-sort="' + by + '"]').focus();
}
const cell = html => '<td><button type="button">' + html + '</button>';
const figure = html => '<td class="n">' + html + '</td>';

function overview() {
    const s = D.shares, [on, all] = s.nodes;
    if (!all) return '<p>The graph has no callable nodes: there is nothing to split.</p>';
    const perKind = D.kinds.map(() => 0), acc = D.kinds.length === 2 ? D.kinds[1] : 'accelerators';
    nodes.forEach((n, v) => { if (kindOf(v) >= 0) perKind[kindOf(v)]++; });
    const order = D.kinds.map((k, i) => i).slice(1).concat(0).filter(k => perKind[k]);
    const types = operators(), whole = types.filter(o => o.on === o.n).length;
    const card = (figure, what) => '<div><b>' + figure + '</b><span>' + what + '</span></div>';
    return '<div class="cover"><b>' + percent(on, all) + '</b><span>' + number(on) + ' of ' + count(all, 'callable node')
        + ' on ' + esc(acc) + '</span></div><div class="bar">' + order.map(k =>
            '<i class="' + kindClass(k) + '" style="flex:' + perKind[k] + '"></i>').join('') + '</div>'
        + '<h3>In the order in which they run</h3><div class="strip">' + strip(all) + '</div><div class="cards">'
        + card(number(whole) + ' of ' + number(types.length), 'operators run there with all their nodes')
        + card(count(D.subgraphs.length, 'subgraph'), number(s.n_acc) + ' on ' + esc(acc))
        + card(sized(s.boundary_bytes, least.boundary), count(s.boundary, 'value') + ' cross' + (s.boundary === 1 ? 'es' : '')
            + ' the boundary of ' + esc(acc))
        + (s.boundary ? card(sized(cuts().find(c => c.boundary).bytes, least.boundary), 'is the largest of them') : '')
        + (rest() ? card(sized(s.crossing_bytes - s.boundary_bytes, least.rest), count(rest(), 'value') + ' pass'
            + (rest() === 1 ? 'es' : '') + ' from CPU to CPU') : '')
        + (s.yielded[1] ? card(least.yielded ? '?' : percent(...s.yielded), 'of the ' + sized(s.yielded[1], least.yielded) + ' that nodes yield') : '')
        + (s.params[1] ? card(least.params.size ? '?' : percent(...s.params), 'of the ' + sized(s.params[1], least.params.size) + ' of parameters') : '')
        + macs(card) + '</div>' + (least.values ? '<p class="note">' + count(least.values, 'value') + ' of unknown size: a dimension'
            + ' that is no number counts as 1, and a value without shape as 0 B.</p>' : '') + (on < all ? '<h3>What stays on the CPU</h3>' + cpuOperators(types) : '');
}
// Multiply-accumulates: the page has them a moment later than the rest.
const scaled = n => { const i = n < 1e3 ? 0 : Math.min(4, Math.floor(Math.log10(n) / 3));
    return (n / 1000 ** i).toFixed(i ? 2 : 0) + ['', ' thousand', ' million', ' billion', ' trillion'][i]; };
function macs(card) {
    const m = D.macs, all = m ? m.of.reduce((a, b) => a + b, 0) : 0, open = m && (m.unknown || m.least);
    if (!m || !(all || m.unknown)) return '';
    const rest = m.unknown ? ', without ' + count(m.unknown, 'node') + ' whose MACs are not known'
        + (m.names.length ? ' (no rule for ' + esc(m.names.join(', ')) + ')' : '') : '';
    return D.kinds.slice(1).map((kind, i) => card(open || !all ? scaled(m.of[i + 1]) : percent(m.of[i + 1], all),
        'of the ' + (open ? '&gt;= ' : '') + scaled(all) + ' multiply-accumulates (MACs) on ' + esc(kind) + rest)).join('');
}
const STRIP = 100;   // boxes; more subgraphs share boxes of equal size, each filled in the proportions of its kinds
function strip(all) {
    const own = D.subgraphs.length <= STRIP, boxes = [];
    let room = 0;
    D.subgraphs.forEach((g, i) => {
        for (let left = g.nodes, n; left > 1e-6; left -= n, room -= n) {
            if (own || room <= 1e-6) {
                room = own ? left : all / STRIP;
                boxes.push({ i, n: room, kinds: D.kinds.map(() => 0) });
            }
            n = Math.min(left, room);
            boxes[boxes.length - 1].kinds[g.kind] += n;
        }
    });
    return boxes.map(b => {
        const g = D.subgraphs[b.i], says = esc(g.tag) + (own ? ', ' + count(g.nodes, 'node') : ' and next');
        return '<button type="button" style="flex:' + b.n + '" data-sub="' + b.i + '" title="' + says + '" aria-label="'
            + says + '">' + b.kinds.map((n, k) => n ? '<i class="' + kindClass(k) + '" style="flex:' + n + '"></i>' : '').join('')
            + '</button>';
    }).join('');
}
const coverage = () => D.shares.nodes[1] ? '<b>' + percent(...D.shares.nodes) + '</b> of callable nodes on accelerators'
    + (D.shares.upper ? ' (upper bound)' : '')
    : 'no callable nodes';
function operators() {
    const list = D.operators.map(name => ({ name, n: 0, on: 0 }));
    nodes.forEach((n, v) => {
        if (!isCall(n)) return;
        list[n[CLASS]].n++;
        list[n[CLASS]].on += onAcc(v) ? 1 : 0;
    });
    return list.filter(o => o.n).sort((a, b) => (b.n - b.on) - (a.n - a.on) || b.n - a.n);
}
function cpuOperators(types) {
    const list = types.filter(o => o.on < o.n), most = 6;
    return '<table><tbody>' + list.slice(0, most).map(o => '<tr data-tab="Why">'
        + cell(esc(o.name)) + '</td>' + figure(count(o.n - o.on, 'node')) + '</tr>').join('')
        + (list.length > most ? '<tr data-tab="Operators">' + cell('and ' + number(list.length - most) + ' more') + '</td>'
            + figure(count(list.slice(most).reduce((sum, o) => sum + o.n - o.on, 0), 'node')) + '</tr>' : '')
        + '</tbody></table>';
}
function subgraphTable() {
    const peaks = D.peaks && D.peaks.length ? D.peaks : null;
    return table(['subgraph', '#nodes', '#in', '#out'].concat(peaks ? '#peak' : [], '#params'),
        D.subgraphs.map((s, i) => [' data-sub="' + i + '"', '<td class="tag"><button type="button">' + dot(s.kind)
            + esc(s.tag) + '</button></td>' + figure(number(s.nodes)) + figure(sized(s.in, least.in.has(i))) + figure(sized(s.out, least.out.has(i)))
            + (peaks ? figure(sized(peaks[i], least.peak.has(i), Math.ceil)) : '')
            + figure(sized(s.params, least.params.has(i))),
        [i, s.nodes, s.in, s.out].concat(peaks ? peaks[i] : [], s.params)])) + tileTable() + runMemory() + tradeoff() + sizeTable();
}
// Regions in tiles: rows and columns of them, bytes of the largest one, of parameters that each reads, to and from all;
// MACs that are computed again; the node that is too large, and its bytes.
function tileTable() {
    const t = D.tiles;
    return !t ? '' : '<h3>Tiles</h3><p class="note">What takes more than the limit by itself runs in tiles: ' + number(t.macs) + ' MACs more'
        + (t.all ? ' (' + (100 * t.macs / t.all).toFixed(1) + ' %)' : '') + '. Each tile reads its parameters anew.</p>'
        + table(['region', '#tiles', '#largest', '#params', '#moved', '#MACs'], t.list.map(r => ['', '<td>' + esc(r[0])
            + (r[1] === r[0] ? '' : ' to ' + esc(r[1])) + '<small>' + esc(r[8]) + ' takes ' + sized(r[9], false, Math.ceil) + '</small></td>'
            + figure(r[2] + '\u00d7' + r[3]) + figure(sized(r[4], false, Math.ceil)) + figure(sized(r[5], false)) + figure(sized(r[6], false))
            + figure('+' + number(r[7])), [r[0], r[2] * r[3], ...r.slice(4, 8)]]));
}
// Live bytes while the whole split runs in one memory, beside the peak of the graph's own order.
function runMemory() {
    const r = D.run, W = 340, H = 110, unknown = least.values > 0, need = b => sized(b, unknown, Math.ceil);
    if (!r || !r.given) return '';
    const most = Math.max(r.peak, r.given), y = b => 8 + (1 - b / most) * (H - 8), x = i => 8 + i / r.live.length * (W - 16);
    return '<h3>The run in one memory</h3><p class="note">The peak is ' + need(r.peak) + '; the graph\u2019s own order: ' + need(r.given)
        + (r.peak > 1.1 * r.given ? ' (' + (r.peak / r.given).toFixed(1) + ' times as much'
            + (D.kinds.length === 2 ? '; --order least-peak searches an order that needs less)' : ')') : '') + '.</p>'
        + '<svg class="curve" viewBox="0 0 ' + W + ' ' + (H + 16) + '" role="img" aria-label="Live bytes by step of the run">'
        + '<path class="axis" d="M8,8V' + H + 'H' + (W - 8) + 'M8,' + y(r.given) + 'H' + (W - 8) + '"/><path class="line" d="M8,' + H
        + r.live.map((b, i) => 'V' + y(b).toFixed(1) + 'H' + x(i + 1).toFixed(1)).join('') + 'V' + H + '"/>'
        + '<text x="8" y="' + (H + 12) + '">first</text><text x="' + (W - 8) + '" y="' + (H + 12) + '" text-anchor="end">last of '
        + count(r.steps, 'step') + '</text></svg>';
}
// Peak of the run against bytes that subgraphs write for others, of as few subgraphs.
function tradeoff() {
    const t = D.tradeoff, W = 340, H = 150, unknown = least.values > 0;
    if (!t || !t.points.length) return '';
    const all = t.points.concat([t.now]), range = k => [Math.min(...all.map(p => p[k])), Math.max(...all.map(p => p[k]))];
    const [left, right] = range(0), [low, high] = range(1);
    const x = b => 14 + (b - left) / (right - left || 1) * (W - 28), y = b => H - 6 - (b - low) / (high - low || 1) * (H - 20);
    const at = p => x(p[0]).toFixed(1) + ',' + y(p[1]).toFixed(1), isNow = p => p[0] === t.now[0] && p[1] === t.now[1];
    const exact = b => (unknown ? '&gt;= ' : '') + number(b) + ' B';
    const says = p => '<title>peak ' + exact(p[0]) + ', ' + exact(p[1]) + ' cross</title>';
    const spot = p => '<circle cx="' + x(p[0]).toFixed(1) + '" cy="' + y(p[1]).toFixed(1) + '" r="' + (isNow(p) ? 5 : 3.5) + '">' + says(p) + '</circle>';
    const open = t.points.some(isNow) ? '' : '<circle class="open" cx="' + x(t.now[0]).toFixed(1) + '" cy="' + y(t.now[1]).toFixed(1)
        + '" r="5">' + says(t.now) + '</circle>';
    return '<h3>Peak against traffic</h3><p class="note">Orders of as few subgraphs of which none is as good as another in both: '
        + (t.complete ? 'all of them' : 'those that were found') + '. --order least-peak,traffic takes the least sum by --weights.</p>'
        + '<svg class="curve" viewBox="0 0 ' + W + ' ' + (H + 16) + '" role="img" aria-label="Bytes that cross by peak of the run">'
        + '<path class="axis" d="M8,8V' + H + 'H' + (W - 8) + '"/><path class="line" d="M' + at(t.points[0])
        + t.points.slice(1).map(p => 'H' + x(p[0]).toFixed(1) + 'V' + y(p[1]).toFixed(1)).join('') + '"/>' + t.points.map(spot).join('') + open
        + '<text x="8" y="' + (H + 12) + '">' + sized(left, unknown, Math.ceil) + '</text><text x="' + (W - 8) + '" y="' + (H + 12)
        + '" text-anchor="end">' + sized(right, unknown, Math.ceil) + ' peak</text></svg>'
        + table(['#peak', '#cross'], t.points.concat(open ? [t.now] : []).map(p => [isNow(p) ? ' class="now"' : '',
            figure(exact(p[0]) + (isNow(p) ? '<small>now</small>' : '')) + figure(exact(p[1])), p]));
}
// What each --min-acc-module-size leaves.
function sizeTable() {
    if (!D.sizes || D.sizes.points.length < 2) return '';
    const { points, best, now } = D.sizes, whole = points[0][3];
    return '<h3>Minimum size</h3><p class="note">What each --min-acc-module-size leaves. The recommended one leaves the '
        + 'fewest subgraphs that keep 95 % of the accelerator\u2019s nodes.</p>'
        + table(['#minimum', '#subgraphs', '#on acc.', '#nodes', '#kept'], points.map((point, i) =>
            [i === now ? ' class="now"' : '', figure(number(point[0]) + (i === now ? '<small>now</small>' : '')
                + (i === best ? '<small>recommended</small>' : '')) + point.slice(1).map(n => figure(number(n))).join('')
                + figure(percent(point[3], whole)), [...point, point[3]]]));
}
// A value that passes from one subgraph to another, once a receiver.
function cuts() {
    if (D.cuts) return D.cuts;
    const list = D.cuts = [];
    nodes.forEach((n, v) => {
        if (n[SUB] < 0) return;
        new Set(users[v].map(u => nodes[u][SUB])).forEach(to => {
            if (to >= 0 && to !== n[SUB]) list.push({
                v, from: n[SUB], to, bytes: n[BYTES], boundary: kindOf(v) + D.subgraphs[to].kind > 0,
            });
        });
    });
    return list.sort((a, b) => b.bytes - a.bytes || a.v - b.v || a.to - b.to);
}
// Of these, the values that no accelerator yields or reads.
const rest = () => D.shares.crossings - D.shares.boundary;
function cutTable() {
    const list = cuts();
    const tag = s => '<td class="side ' + kindClass(D.subgraphs[s].kind) + '">' + esc(D.subgraphs[s].tag) + '</td>';
    if (!list.length) return '<p>No value passes from one subgraph to another.</p>';
    return '<p class="note">Values that pass from one subgraph to another, once a receiver: '
        + count(D.shares.boundary, 'value') + ' (' + sized(D.shares.boundary_bytes, least.boundary) + ') of an accelerator'
        + (rest() ? ', ' + count(rest(), 'value') + ' (' + sized(D.shares.crossing_bytes - D.shares.boundary_bytes, least.rest)
            + ') from CPU to CPU' : '') + '.</p>'
        + table(['value', 'from', 'to', '#bytes'], list.map(c => [' data-node="' + c.v + '"',
            cell(esc(titleOf(c.v))) + (nodes[c.v][TYPE] >= 0 ? '<small>' + esc(D.types[nodes[c.v][TYPE]]) + '</small>' : '')
            + '</td>' + tag(c.from) + tag(c.to) + figure(sized(c.bytes, isLeast(c.v))),
            [titleOf(c.v), c.from, c.to, c.bytes]])) + causeTable();
}
// Which operators keep values crossing.
function causeTable() {
    if (!D.causes || !D.causes.length) return '';
    return '<h3>What causes them</h3><p class="note">A value that passes between an accelerator and the CPU counts for the '
        + 'operator of its node on the CPU, or of the node that forced that node there.</p>'
        + table(['operator', '#nodes on the CPU', '#cuts', '#subgraphs if supported'], D.causes.map(([op, n, cuts, left]) =>
            [' data-find="' + esc(D.operators[op]) + '"', cell(esc(D.operators[op])) + '</td>' + figure(number(n))
                + figure(number(cuts)) + figure(left < 0 ? '?' : number(left)), [D.operators[op], n, cuts, left]])) + nextTable();
}
// In which order to support operators; each row counts those above it.
function nextTable() {
    if (!D.next || D.next.length < 2) return '';
    const timed = D.next[0][4] !== null;
    return '<h3>Support next</h3><p class="note">Each row with the operators of the rows above it.</p>'
        + table(['support also', '#subgraphs', '#accelerated', '#cross'].concat(timed ? ['#time saved'] : []),
            D.next.map(([op, left, n, crossing, saved], i) => [' data-find="' + esc(D.operators[op]) + '"',
                cell(esc(D.operators[op])) + '</td>' + figure(number(left)) + figure(number(n)) + figure(bytes(crossing))
                    + (timed ? figure(saved === null ? '?' : seconds(saved)) : ''), [i, left, n, crossing, saved]]));
}
function operatorTable() {
    return table(['operator', '#nodes', '#on accelerators'], operators().map(o => [' data-find="' + esc(o.name) + '"',
        cell(esc(o.name)) + '<div class="bar"><i style="width:' + 100 * o.on / o.n + '%"></i></div></td>'
        + figure(number(o.n)) + figure(o.on ? percent(o.on, o.n) : '0'), [o.name, o.n, o.on / o.n]]));
}
function whyTable() {
    const groups = new Map();
    nodes.forEach((n, v) => {
        if (kindOf(v) !== 0) return;
        const g = groups.get(reasonOf(v)) || new Map();
        groups.set(reasonOf(v), g);
        const what = esc(D.operators[n[CLASS]]) + (objection(v) ? ': ' + esc(objection(v)) : '');
        const list = g.get(what) || [];
        g.set(what, list);
        list.push(v);
    });
    const size = g => [...g.values()].reduce((s, list) => s + list.length, 0);
    if (!groups.size) return '<p>Every callable node runs on an accelerator.</p>';
    return '<h2>Why nodes run on the CPU</h2>' + [...groups].sort((a, b) => size(b[1]) - size(a[1]))
        .map(([why, g]) => '<h3>' + count(size(g), 'node') + ': ' + esc(why) + '</h3>'
            + [...g].sort((a, b) => b[1].length - a[1].length).slice(0, 100).map(([what, list]) =>
                '<p class="note">' + what + '</p>' + chips(list)).join('')
            + (g.size > 100 ? '<p class="note">and ' + number(g.size - 100) + ' more</p>' : '')).join('');
}
// What --minimise time found: the best time for so many subgraphs, and what each of them saves.
function worthCurve() {
    const points = D.worth.points, last = Math.max(points[points.length - 1][0], 1), W = 340, H = 130;
    const most = Math.max(...points.map(p => p[1])), x = k => 8 + k / last * (W - 16), y = s => 8 + (1 - s / most) * (H - 16);
    const best = points[points.length - 1];
    const says = ([k, s]) => '<title>at most ' + count(k, 'accelerator subgraph') + ': ' + seconds(s) + '</title>';
    return '<svg class="curve" viewBox="0 0 ' + W + ' ' + (H + 16) + '" role="img" aria-label="Time by number of accelerator subgraphs">'
        + '<path class="axis" d="M8,8V' + (H - 8) + 'H' + (W - 8) + '"/><path class="line" d="'
        + points.map(([k, s], i) => (i ? 'H' + x(k) + 'V' : 'M' + x(k) + ',') + y(s)).join('') + '"/>'
        + points.map(p => '<circle cx="' + x(p[0]) + '" cy="' + y(p[1]) + '" r="' + (p === best ? 5 : 3.5) + '">' + says(p) + '</circle>').join('')
        + '<text x="8" y="' + (H + 10) + '">0</text><text x="' + (W - 8) + '" y="' + (H + 10) + '" text-anchor="end">'
        + (points.length > 1 ? count(last, 'subgraph') + ' or fewer' : 'no subgraph helps') + '</text></svg>';
}
function worthRows(title, note, rows, name) {
    const saves = s => s === null ? '?' : '<span class="' + (s < 0 ? 'loses' : 'saves') + '">' + seconds(s) + '</span>';
    return rows.length ? '<h3>' + title + '</h3><p class="note">' + note + '</p>'
        + table([name, '#nodes', '#kept', '#on CPU', '#on acc.', '#saves'], rows.map(r =>
            [name === 'subgraph' ? ' data-sub="' + r[0] + '"' : ' data-node="' + r[1] + '"',
                '<td class="tag"><button type="button">' + esc(name === 'subgraph' ? D.subgraphs[r[0]].tag : clip(titleOf(r[1]), 20))
                + '</button></td>' + figure(number(r[2])) + figure(number(r[3])) + figure(seconds(r[4])) + figure(seconds(r[5]))
                + figure(saves(r[6])), [name === 'subgraph' ? r[0] : titleOf(r[1]), ...r.slice(2)]])) : '';
}
function worth() {
    const w = D.worth;
    if (!w) return '<p>split --minimise time says what is worth offloading.</p>';
    const row = (k, v) => '<dt>' + k + '</dt><dd>' + v + '</dd>', alone = w.cpu_only !== null;
    const less = (a, b) => seconds(a) + (a > b ? ', ' + seconds(a - b) + ' more' : '');
    const figure3 = s => (w.estimated ? 'about ' : '') + seconds(s);
    return '<h2>' + (alone && w.best >= w.cpu_only ? 'The CPU alone is '
        + (w.all > w.best ? 'faster by ' + figure3(w.all - w.best) + ' than all offloaded' : 'as fast') : 'Worth it: ' + figure3(w.best))
        + (w.estimated ? ' (with estimates from shapes)' : '') + '</h2><dl>'
        + (alone ? row('CPU alone', less(w.cpu_only, w.best)) : '') + row('all supported offloaded', less(w.all, w.best))
        + row('this split', seconds(w.best)) + row(least.values || w.unknown_times ? 'by what is known, at least' : 'no choice is below', seconds(w.bound))
        + row('per launch', seconds(w.launch)) + row('bandwidth', bytes(w.bandwidth) + '/s') + (w.measured ? row('times', count(w.measured, 'node') + ' measured') : '')
        + (w.estimated ? row('estimates', number(w.estimated) + ' of ' + count(w.called, 'node'))
            + row('CPU rates', esc(w.cpu_rates) + ' MACs/s,bytes/s') + row('acc. rates', esc(w.acc_rates) + ' MACs/s,bytes/s') : '') + '</dl>'
        + '<h3>Time by number of accelerator subgraphs</h3>' + worthCurve()
        + '<table><tbody>' + w.points.map(([k, s]) => '<tr><td>' + (k ? 'at most ' + count(k, 'subgraph') : 'CPU alone')
            + '</td>' + figure(seconds(s)) + '</tr>').join('') + '</tbody></table>'
        + worthRows('This split', 'What each accelerator subgraph saves against the CPU.', w.made, 'subgraph')
        + (w.all > w.best ? worthRows('All offloaded', 'What each subgraph would save if all supported nodes were offloaded; '
            + 'kept: nodes that this split offloads.', w.if_all, 'from node') : '');
}
function details() {
    return !chosen ? '<p>Click a box of the picture to open it, and a node to see it here.</p>'
        : chosen.node >= 0 ? nodeDetails(chosen.node) : boxDetails(chosen);
}
const PANELS = { Overview: overview, Subgraphs: subgraphTable, Worth: worth, Cuts: cutTable, Operators: operatorTable,
    Why: whyTable, Details: details };
let tab = 'Overview';
function showPanel(stays) {
    // The tabs stay: a click on one that is replaced meanwhile would be lost.
    if (!$('tabs').children.length) {
        $('tabs').innerHTML = Object.keys(PANELS).filter(t => t !== 'Worth' || D.worth).map(t =>
            '<button type="button" role="tab" id="tab' + t + '" aria-controls="panel" data-tab="' + t + '">'
            + (t === 'Worth' ? 'Worth it' : t) + '</button>').join('');
    }
    const isNew = $('panel').getAttribute('aria-labelledby') !== 'tab' + tab;
    for (const button of $('tabs').children) {
        button.setAttribute('aria-selected', button.dataset.tab === tab);
        button.tabIndex = button.dataset.tab === tab ? 0 : -1;
    }
    $('panel').setAttribute('aria-labelledby', 'tab' + tab);
    $('panel').innerHTML = PANELS[tab]();
    if (!stays) $('panel').scrollTop = 0;
    if (isNew) $('tab' + tab).scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

// ---- search ----

let hits = [];
function search() {
    const words = $('find').value.toLowerCase().split(/\s+/).filter(w => w);
    hits = [];
    for (let v = 0; D && v < nodes.length && words.length && hits.length < 60; v++) {
        const n = nodes[v];
        const text = (titleOf(v) + ' ' + operator(v) + ' ' + (D.types[n[TYPE]] || '')).toLowerCase();
        if (leafOf[v] && words.every(w => text.includes(w))) hits.push(v);
    }
    $('found').hidden = !words.length;
    $('found').innerHTML = hits.map((v, i) => '<li class="' + (i ? '' : 'first') + '" data-node="' + v + '">'
        + dot(kindOf(v)) + esc(titleOf(v)) + '<small>' + esc(operator(v)) + '</small></li>').join('')
        || '<li><small>nothing found</small></li>';
}
function leaveSearch() {
    $('found').hidden = true;
    $('find').blur();
}

// ---- what people do ----

function itemAt(target) {
    const g = target && target.closest && target.closest('.item');
    return g ? items[+g.dataset.i] : null;
}
function light(id) {
    view.querySelectorAll('.edge').forEach(e =>
        e.classList.toggle('lit', +e.dataset.a === id || +e.dataset.b === id));
}
function act(item) {
    if (item.children) toggle(item);
    else { choose(item); draw(); light(item.id); }
}
const fingers = new Map();   // pointers that are down: two of them zoom
let moved = false;
const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y) || 1;
};
svg.addEventListener('pointerdown', e => {
    if (!fingers.size) moved = false;
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY, x0: e.clientX, y0: e.clientY });
});
addEventListener('pointermove', e => {
    const f = fingers.get(e.pointerId), before = fingers.size === 2 ? spread() : 0;
    if (!f) return;
    if (Math.abs(e.clientX - f.x0) + Math.abs(e.clientY - f.y0) > 3) { moved = true; svg.classList.add('drag'); }
    if (!moved) return;
    const dx = e.clientX - f.x, dy = e.clientY - f.y, r = svg.getBoundingClientRect();
    f.x = e.clientX;
    f.y = e.clientY;
    touched = true;
    if (before) {
        const [a, b] = [...fingers.values()];
        zoom(spread() / before, (a.x + b.x) / 2 - r.left, (a.y + b.y) / 2 - r.top);
    } else {
        at.x += dx;
        at.y += dy;
        move();
    }
});
['pointerup', 'pointercancel'].forEach(name => addEventListener(name, e => {
    fingers.delete(e.pointerId);
    if (!fingers.size) svg.classList.remove('drag');
}));
svg.addEventListener('click', e => {
    const item = moved ? null : itemAt(e.target);
    if (item) act(item);
});
const middle = f => { const r = svg.getBoundingClientRect(); zoom(f, r.width / 2, r.height / 2); };
svg.addEventListener('keydown', e => {
    const item = itemAt(e.target), step = 60;
    const steps = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (item && (e.key === 'Enter' || e.key === ' ')) act(item);
    else if (steps[e.key]) { touched = true; at.x += steps[e.key][0]; at.y += steps[e.key][1]; move(); }
    else if (e.key === '+' || e.key === '=') middle(1.3);
    else if (e.key === '-') middle(1 / 1.3);
    else if (e.key === '0') fit(true);
    else return;
    e.preventDefault();
});
svg.addEventListener('wheel', e => {
    const r = svg.getBoundingClientRect();
    e.preventDefault();
    zoom(Math.exp(-e.deltaY * .0015), e.clientX - r.left, e.clientY - r.top);
}, { passive: false });
svg.addEventListener('mousemove', e => {
    const item = itemAt(e.target), tip = $('tip');
    tip.style.display = item ? 'block' : 'none';
    if (!item) { if (!chosen || chosen.children) light(-1); return; }
    light(item.id);
    const n = item.node >= 0 ? nodes[item.node] : null;
    tip.innerHTML = '<b>' + esc(item.label) + '</b><small>' + (n ? esc(operator(item.node))
        + (n[TYPE] >= 0 ? '<br>' + esc(D.types[n[TYPE]]) : '')
        + (n[SUB] >= 0 ? '<br>' + esc(D.kinds[kindOf(item.node)]) + ': ' + esc(because(item.node)) : '')
        : count(item.size, 'node') + (item.kind >= 0 ? ' on ' + esc(D.kinds[item.kind]) : '')
            + '<br>click to ' + (item.open ? 'close' : 'open')) + '</small>';
    tip.style.left = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8) + 'px';
    tip.style.top = Math.min(e.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
});
svg.addEventListener('mouseleave', () => { $('tip').style.display = 'none'; });
document.body.addEventListener('click', e => {
    const t = e.target.closest('[data-node], [data-sub], [data-tab], [data-find], [data-sort]');
    if (!t) { if (!e.target.closest('.search')) $('found').hidden = true; return; }
    if (t.dataset.sort) sortTable(t.dataset.table, +t.dataset.sort);
    else if (t.dataset.tab) openTab(t.dataset.tab);
    else if (t.dataset.find) { $('find').value = t.dataset.find; $('find').focus(); search(); }
    else if (t.dataset.sub) { reveal(subgraphBox[+t.dataset.sub]); }
    else { leaveSearch(); showNode(+t.dataset.node); }
});
$('tabs').addEventListener('keydown', e => {
    const all = Object.keys(PANELS), step = { ArrowRight: 1, ArrowLeft: all.length - 1 }[e.key];
    if (!step) return;
    e.preventDefault();
    openTab(all[(all.indexOf(tab) + step) % all.length]);
    $('tab' + tab).focus();
});
$('find').addEventListener('input', search);
$('find').addEventListener('focus', search);
$('find').addEventListener('keydown', e => {
    if (e.key === 'Enter' && hits.length) { leaveSearch(); reveal(leafOf[hits[0]]); }
    if (e.key === 'Escape') leaveSearch();
});
addEventListener('keydown', e => {
    if (e.key === '/' && D && !e.target.closest('input, textarea, select')) { e.preventDefault(); $('find').focus(); }
});
$('in').onclick = () => middle(1.3);
$('out').onclick = () => middle(1 / 1.3);
$('fit').onclick = () => fit(true);
$('close').onclick = () => { items.forEach(i => { i.open = i === root; }); draw(); fit(); };
addEventListener('resize', () => { room = null; if (D && !touched) fit(); });

// ---- begin ----

// Whether the bytes of a value are not known: a dimension is no number, or there is no type.
const isLeast = v => least.unknown[v];
function isUnknown(v) {
    const n = nodes[v], own = attributes.get(v) || [];
    if (n[OP] === OUTPUT || own.some((key, i) => i % 2 === 0 && key === 'bytes')) return false;
    return n[TYPE] < 0 ? !n[BYTES] : least.types[n[TYPE]];
}
const hasOpenDim = type => [...type.matchAll(/\[([^\]]*)\]/g)].some(([, dims]) =>
    dims.split(',').some(dim => dim.trim() && !/^[0-9]+$/.test(dim.trim())));
// Which figures depend on such values: subgraphs by number.
function findLeast() {
    const { types, unknown } = least || {};
    least = { in: new Set(), out: new Set(), peak: new Set(), params: new Set(), values: 0,
        types: types || D.types.map(hasOpenDim) };
    least.unknown = unknown || nodes.map((n, v) => isUnknown(v));
    nodes.forEach((n, v) => {
        if (!isLeast(v)) return;
        const own = n[SUB];
        least.values++;
        if (own >= 0) {
            least.yielded = true;
            least.peak.add(own);
        }
        users[v].map(u => nodes[u][SUB]).filter(s => s !== own).forEach(s => {
            if (own >= 0) least.out.add(own);
            if (s < 0) return;
            if (n[OP] === GET_ATTR) {
                least.params.add(s);
                return;
            }
            least.in.add(s);
            least.peak.add(s);
            if (own >= 0) least[D.subgraphs[own].kind + D.subgraphs[s].kind > 0 ? 'boundary' : 'rest'] = true;
        });
    });
}
function addAttributes() {
    attributes = new Map((D.attributes || []).map(([v, ...all]) => [v, all]));
}
// Without `restore`, from the start: the whole picture, and what the address names.
function show(data, restore) {
    D = data;
    nodes = D.nodes;
    users = nodes.map(() => []);
    nodes.forEach((n, v) => n[INPUTS].forEach(u => users[u].push(v)));
    addAttributes();
    least = null;
    oldLeaves = [];
    document.title = D.model + ' - graphsplit';
    $('title').textContent = D.model.replace(/^.*[/\\]/, '');
    $('title').title = D.model;
    showSplit(restore);
}
// Another split of the same graph: members that options change. Of nodes, `runs` has how many of them are equal in what
// they have, and that, each + 1: the subgraph, the reason and the culprit.
function showOther({ runs, ...changes }, restore) {
    const { tool, model, operators, types } = D;
    for (let i = 0, v = 0; i < runs.length; i += 4) {
        for (const end = v + runs[i]; v < end; v++) {
            for (let k = 0; k < 3; k++) nodes[v][SUB + k] = runs[i + 1 + k] - 1;
        }
    }
    D = { tool, model, operators, types, nodes, attributes: D.attributes, ...changes };
    oldLeaves = leafOf;
    showSplit(restore);
}
function showSplit(restore) {
    findLeast();
    chosen = null;
    if (tab === 'Details') tab = 'Overview';
    buildTree();
    $('figures').innerHTML = [[nodes.length, 'node'], [D.subgraphs.length, 'subgraph']].map(([n, what]) =>
        '<span><b>' + number(n) + '</b> ' + what + (n === 1 ? '' : 's') + '</span>').join('')
        + '<span>' + coverage() + '</span>';
    $('legend').innerHTML = D.kinds.map((k, i) => '<span>' + dot(i) + esc(k) + '</span>').join('');
    // A small graph is shown whole.
    if (nodes.length <= 60) subgraphBox.forEach(b => { b.open = true; });
    if (restore) {
        restore();
        return;
    }
    showPanel();
    draw();
    fit();
    followAddress();
}
