// The page around the picture: files in, the program in a worker, files out. Nothing here or in the
// worker can reach a network: the Content-Security-Policy of the page forbids it.

// ---- the programs: graphsplit split, an instance of WebAssembly a run ----

// The first has what the page shows at once. The second has all outputs: it is compiled when they are
// asked for.

// All that the worker does. It is sent there as text, so it uses nothing from outside of itself.
function machine(reply) {
    const encoder = new TextEncoder(), decoder = new TextDecoder();
    const LEFT_TO_SECOND = 3;   // exit status of the first program (left_out.c)
    const MOST_HELD = 1 << 27;  // bytes of memory that are copied
    let programs = null, model = null;
    let held = null;   // an instance of the first program that has read the model, and its memory then
    const modules = {};

    function room(x, bytes) {
        const p = x.room(Math.max(1, bytes.length));
        if (!p) throw new Error('the browser gives the page no more memory');
        new Uint8Array(x.memory.buffer).set(bytes, p);
        return p;
    }
    const word = (x, text) => room(x, encoder.encode(text + '\0'));
    const give = (x, path, bytes) => x.add(word(x, path), room(x, bytes), bytes.length);
    // The second program lies in the page as gzip.
    const unzipped = bytes => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
    const codeOf = name => name === 'whole' ? unzipped(programs.whole) : programs[name];
    async function instance(name) {
        modules[name] = modules[name] || await WebAssembly.compile(await codeOf(name));
        const x = (await WebAssembly.instantiate(modules[name], {})).exports;
        give(x, model.path, model.bytes);
        return x;
    }
    // The model is read once, if nothing is to be said about it.
    async function hold() {
        held = { x: null };
        try {
            const x = await instance('wasm');
            if (x.read(word(x, model.path)) && x.memory.buffer.byteLength <= MOST_HELD) {
                held = { x, memory: new Uint8Array(x.memory.buffer.slice(0)) };
            }
        } catch (error) {
            // The run says why.
        }
    }
    async function ready(name) {
        if (name === 'wasm' && !held) await hold();
        if (name !== 'wasm' || !held.x) return instance(name);
        new Uint8Array(held.x.memory.buffer).set(held.memory);
        return held.x;
    }
    async function run(args, lists, name) {
        const x = await ready(name);
        lists.forEach(([path, text]) => give(x, path, encoder.encode(text)));
        const list = encoder.encode(args.map(a => a + '\0').join(''));
        let code;
        try {
            code = x.run(room(x, list), list.length);
        } catch (error) {
            held = null;
            code = x.status();   // of its own will, as when there is no more memory
            if (code < 0) {
                throw new Error('the program broke off (' + error.message + '), which no file should make it do: '
                    + 'please report it with the file');
            }
        }
        const text = (at, size) => decoder.decode(new Uint8Array(x.memory.buffer, at, size));
        const files = {};
        for (let i = 0, p; (p = x.file(i)); i++) {
            const [name, data, size] = new Uint32Array(x.memory.buffer, p, 3);
            const all = new Uint8Array(x.memory.buffer);
            const path = i < 2 ? ['out', 'err'][i] : text(name, all.indexOf(0, name) - name);
            if (path !== model.path && !lists.some(l => l[0] === path)) files[path] = text(data, size);
        }
        return { code, files };
    }

    const jobs = {
        async begin(task) { programs = task.programs; },
        async open(task) { held = null; model = { path: task.path, bytes: new Uint8Array(await task.file.arrayBuffer()) }; },
        async run(task) {
            const got = await run(task.args, task.lists, task.program || 'wasm');
            if (got.code !== LEFT_TO_SECOND) return got;
            // The second says all, as it does on the command line.
            return run(task.args.map(a => a === '--model-explorer' ? '--html' : a), task.lists, 'whole');
        },
    };
    async function work(task) {
        try {
            reply({ id: task.id, result: await jobs[task.job](task) });
        } catch (error) {
            reply({ id: task.id, error: String(error.message || error) });
        }
    }
    let before = Promise.resolve();   // one after the other
    return task => { before = before.then(() => work(task)); };
}

const bytesOf = id => Uint8Array.from(atob($(id).textContent.trim()), c => c.charCodeAt(0));
const programs = { wasm: bytesOf('wasm'), whole: bytesOf('whole') };
let worker = null, file = null, tasks = new Map(), lastTask = 0;

function answered(message) {
    const t = tasks.get(message.id);
    tasks.delete(message.id);
    if (!t) return;
    if (message.error) t.fail(new Error(message.error));
    else t.done(message.result);
}
// Where the browser makes no workers of a page from disk, the program runs in the page itself.
function startWorker() {
    try {
        const url = URL.createObjectURL(new Blob(['const work = (' + machine + ')(m => postMessage(m));\n'
            + 'onmessage = e => work(e.data);'], { type: 'text/javascript' }));
        worker = new Worker(url);
        worker.onmessage = e => answered(e.data);
        worker.onerror = () => { if (worker) worker.terminate(); startInPage(); };
        URL.revokeObjectURL(url);
    } catch (error) {
        startInPage();
    }
    ask({ job: 'begin', programs });
    if (file) ask({ job: 'open', path: file.path, file: file.blob });
}
function startInPage() {
    const work = machine(answered), waiting = [...tasks.values()].map(t => t.task);
    worker = { postMessage: task => setTimeout(() => work(task), 0), terminate() {} };
    waiting.forEach(task => worker.postMessage(task));
}
function ask(task) {
    return new Promise((done, fail) => {
        task.id = ++lastTask;
        tasks.set(task.id, { done, fail, task });
        if (task.program === 'wasm' && file && nearFile === file) near(task);
        else worker.postMessage(task);
    });
}
// A small model is split in the page itself once its tables are there: that waits for no turn of another thread, nor
// for what is under way there.
const MOST_NEAR = 20000, MOST_NEAR_BYTES = 4e6;   // nodes, bytes of a file
let near = null, nearFile = null, isLight = false;
async function bringNear() {
    if (nearFile === file) return;
    near = machine(answered);
    near({ job: 'begin', programs });
    near({ job: 'open', path: file.path, file: file.blob });
    nearFile = file;
    await run(['--model-explorer', 'data']).catch(() => null);   // reads the model
}
function stop() {
    worker.terminate();
    const left = [...tasks.values()];
    tasks = new Map();
    left.forEach(t => t.fail(new Error('stopped')));
    startWorker();
}

// ---- what is asked for ----

const lists = JSON.parse($('lists').textContent), OWN = '(your own)';
const listOf = name => lists.find(l => l.name === name);
const FIRST = (lists.find(l => l.name === 'xnnpack') || lists[0]).name;   // takes much of most models
const linesOf = text => text.split('\n').map(l => l.replace(/#.*/, '').trim()).filter(l => l);
const operatorsOf = text => [...new Set(linesOf(text).map(l => l.split(/\s/)[0]))];   // some stand once a set of types

// The options of the command line that the form stands for; what is as it always is stands for none.
function options() {
    const out = [], value = id => $(id).value.trim();
    if (usesPlan()) return ['--plan', plan.path];
    if (inside.length) out.push('--graph', inside[inside.length - 1].graph);
    const words = id => value(id).split(/[\s,]+/).filter(w => w).join(',');
    if (value('min') && value('min') !== '1') out.push('--min-acc-module-size', value('min'));
    if (value('most') && value('most') !== '0') out.push('--max-acc-splits', value('most'));
    if ($('demote').checked) out.push('--limit-policy', 'demote');
    if (!$('fuse').checked) out.push('--skip-fusion');
    if ($('cross').checked) out.push('--allow-non-tensor');
    if ($('movers').checked) out.push('--move-non-tensor-nodes-on-boundary');
    if (words('onacc')) out.push('--acc-nodes', words('onacc'));
    if (words('oncpu')) out.push('--cpu-nodes', words('oncpu'));
    return out;
}
// The program looks at the end for the marks of a list of one subgraph, and of an upper bound.
const marked = text => text + (/^# One subgraph/m.test(text) ? '\n#1\n' : '\n')
    + (/^# Upper bound/m.test(text) ? '#' : '');
// A plan assigns all nodes. That takes the second program, and so does a graph that a node runs.
const listOptions = name => usesPlan() ? [] : ['--acc-ops', name];
function run(more, program) {
    return ask({ job: 'run', program: program || (usesPlan() || inside.length ? 'whole' : 'wasm'),
        lists: [['operators', marked($('operators').value)], ...(usesPlan() ? [[plan.path, plan.text]] : [])],
        args: [...listOptions('@operators'), ...options(), ...more, '--', file.path] });
}
const quote = w => /^[\w@%+=:,./*-]+$/.test(w) && !/\*/.test(w) ? w : "'" + w.replace(/'/g, "'\\''") + "'";
function showCommand() {
    const name = $('list').value;
    const spec = name === OWN ? '@own.ops' : name;
    $('command').textContent = [file.onnx ? 'graphsplit-onnx' : 'graphsplit', 'split', ...listOptions(spec), ...options(),
        file.onnx || file.path].map(quote).join(' ');
}
function showList() {
    const l = listOf($('list').value), n = operatorsOf($('operators').value).length;
    const says = l ? l.text.match(/^(# .*\n)*/)[0].replace(/^# +/gm, '') : '';
    $('about').textContent = (l ? says.replace(/\n[^]*/, '') : 'Your own list') + ': ' + count(n, 'operator');
    $('about').title = says;
}
function chooseList(name) {
    $('list').value = name;
    if (listOf(name)) $('operators').value = listOf(name).text;
    showList();
}
function takeOwnList(text) {
    $('operators').value = text;
    $('list').value = OWN;
    $('own').open = true;
    showList();
}

// ---- running ----

let shownIn = null;   // the file and the graph that are shown
let turn = 0, report = '', notes = '', rows = null, waitTimer = 0;

function wait(what) {
    clearTimeout(waitTimer);
    $('doing').textContent = what || '';
    $('wait').hidden = true;
    if (what) {
        waitTimer = setTimeout(() => { $('wait').hidden = false; $('status').textContent = what; }, 300);
    }
}
// The first sentence of what the program said, without its name and without what only a shell can do.
const sentence = err => err.replace(/^graphsplit: /, '').replace(/\nTry '.*\n?/, '').trim();

function complain(text, isFile) {
    document.body.classList.toggle('stale', !isFile && !!D);
    document.body.classList.toggle('empty', isFile || !D);
    $('banner').textContent = text + (/[.?!]$/.test(text) ? '' : '.');
    $('banner').hidden = false;
    $('status').textContent = '';
}
// What is wrong with a file that cannot be read, and what to do.
function advice(said, head, path) {
    if (/^PK\x03\x04|^\x80\x02|^\x89HDF/.test(head) || /\.(pt|pth|pt2|ckpt|safetensors|h5|keras|pb)$/i.test(path)) {
        return path + ' holds weights or a saved program, and those are not read here. For PyTorch, save what print(graph) '
            + 'prints of the traced module as a .fx file; for TensorFlow, convert the model to .tflite.';
    }
    return said + '.\n' + (path.endsWith('.tflite') ? 'If the file came over a network, compare its size with the '
        + 'original: it may be cut off.' : 'The page reads .tflite and .onnx files, and the text that PyTorch prints for a graph, '
        + 'which begins with graph():');
}
let awaited = null;   // the model of a link that has only its name
const OWN_FILES = ['-', 'out', 'err', 'data', 'plan', 'operators', 'list'];
// Of a link, an ONNX model is the text already that it was made into.
async function open(blob, name, isText, ofLink) {
    const mine = ++turn;
    const before = file;
    let path = name.replace(/^.*[/\\]/, '') || 'model';
    wait('Reading ' + name + ' \u2026');
    try {
        // A TensorFlow Lite file says so, whatever it is called.
        if (await blob.slice(4, 8).text() === 'TFL3' && !path.endsWith('.tflite')) path += '.tflite';
        const onnx = /\.onnx$/i.test(path) ? path : null;
        if (onnx) {
            if (!isText) blob = new Blob([onnxText(new Uint8Array(await blob.arrayBuffer()))]);
            path += '.fx';
        }
        // No standard input, and none of the program's own files.
        if (OWN_FILES.includes(path)) path = './' + path;
        file = { blob, path, onnx };
        if (!ofLink && name !== awaited) { leaveAll(); plan = null; showPlan(); }
        await ask({ job: 'open', path: file.path, file: blob });
    } catch (error) {
        if (mine !== turn) return;
        wait();
        if (/\.onnx$/i.test(path)) {
            file = null;
            complain(name + ' cannot be read as an ONNX model: ' + error.message
                + '. On the command line, graphsplit-onnx (make onnx) checks models and says more', true);
            return;
        }
        file = before;
        complain(name + ' cannot be read (' + error.message + '). The command line has no limit of this kind: '
            + 'graphsplit split --acc-ops ... ' + name, !D);
        return;
    }
    if (mine === turn) await split(true);
}
async function split(isNew) {
    const mine = ++turn;
    if (!file) return;
    if (![...$('controls').querySelectorAll('input')].every(i => i.checkValidity())) {
        complain('A number of subgraphs or nodes is 0 or more, without a sign or a point', false);
        return;
    }
    wait('Splitting ' + file.path + ' \u2026');
    showCommand();
    const begun = performance.now();
    let got;
    try {
        // Of another split of the same graph the first program says what is different.
        const isOther = !isNew && D && shownIn === placeNow() && !usesPlan() && !inside.length;
        got = await run([isOther ? '--model-explorer' : '--html', 'data']);
    } catch (error) {
        if (mine !== turn) return;
        wait();
        complain(error.message === 'stopped' ? 'Stopped. Open another model, or change an option to begin again'
            : file.path + ': ' + error.message, isNew);
        return;
    }
    if (mine !== turn) return;
    wait();
    if (got.code !== 0 || !got.files.data) {
        const said = sentence(got.files.err);
        // What is wrong with the command line (2) or the split is no fault of the file.
        const isFile = isNew && got.code === 1 && said.startsWith(file.path);
        const head = String.fromCharCode(...new Uint8Array(await file.blob.slice(0, 8).arrayBuffer()));
        complain(isFile ? advice(said, head, file.path) : said, isFile);
        if (isFile) file = null;
        return;
    }
    present(got, isNew, performance.now() - begun);
}
function present(got, isNew, took) {
    report = got.files.out;
    notes = got.files.err.replace(/^(graphsplit|operators): /gm, '').replace(/^./gm, c => c.toUpperCase());
    explained = new Map();
    document.body.classList.remove('empty', 'stale');
    $('banner').hidden = true;
    if (isNew) rows = null;
    if (isNew && innerWidth <= 900) $('fold').open = false;
    const data = JSON.parse(dataOf(got.files.data)), was = isNew || shownIn !== placeNow() ? null : keep();
    if (!was && !isNew) { tab = 'Overview'; history.replaceState(null, '', '#'); }
    (data.runs ? showOther : show)(data, was && restore.bind(null, was));
    shownIn = placeNow();
    isLight = !data.peaks && nodes.length <= MOST_NEAR && file.blob.size <= MOST_NEAR_BYTES;
    showPlace();
    remember(isNew);
    showMeasures();
    setPlace();
    if (isNew && measured) draw();
    showPlans();
    $('status').textContent = 'Split: ' + coverage().replace(/<[^>]*>/g, '') + ', '
        + count(D.subgraphs.length, 'subgraph');
    complete();
    // Quick enough to try all lists: what each of them would do.
    if (took < 300 && file.blob.size < 2e7 && !rows && !usesPlan()) compare();
}
// The data of a report; the first program writes nothing else.
const dataOf = report => (/id="data">\n([^]*?)\n<\/script>/.exec(report) || [, report])[1];
// Whether no other split was asked for while clicks might come, nor will be in a moment.
async function quiet() {
    const mine = turn;
    if (calm) await new Promise(done => setTimeout(done, calm));
    return mine === turn && formState() === current;
}
// What the report of the command line has beside what was shown at once: attributes and tables.
async function complete() {
    const mine = turn;
    if (D.peaks || !await quiet()) return;
    const got = await run(['--html', 'data'], 'whole').catch(() => null);
    if (mine !== turn || !got || got.code !== 0) return;
    report = got.files.out;
    Object.assign(D, JSON.parse(dataOf(got.files.data)));
    addAttributes();
    showPlans();
    const side = document.activeElement.dataset.pin;
    showPanel(true);
    focusPin(side);
    if (isLight && await quiet()) bringNear();
}
async function compare() {
    if (!await quiet()) return;
    const mine = turn, args = ['--acc-ops', '@operators', ...options(), '--html', 'data', '--', file.path], found = [];
    for (const l of lists) {
        const got = await ask({ job: 'run', args, lists: [['operators', marked(l.text)]] }).catch(() => null);
        if (mine !== turn) return;
        if (got && got.code === 0) found.push([l.name, JSON.parse(dataOf(got.files.data)).shares]);
    }
    rows = found;
    if (tab === 'Overview') showPanel();
}
// Another option, the same model: the same tab, the same place. A node that was shown stays shown, and
// the picture around it stays where it is.
const keep = () => ({ tab, at: { ...at }, open: items.filter(i => i.isSubgraph && i.open).map(i => leaves(i)[0]),
    node: tab === 'Details' && chosen && chosen.node >= 0 ? titleOf(chosen.node) : null });
function restore(was) {
    const v = was.node === null ? -1 : nodes.findIndex((n, i) => titleOf(i) === was.node);
    const item = v >= 0 && leafOf[v];
    chosen = v < 0 ? null : item || { node: v };
    tab = was.tab === 'Details' && v < 0 ? 'Overview' : was.tab;
    was.open.forEach(v => { subgraphBox[nodes[v][SUB]].open = true; });
    for (let p = item && item.parent; p; p = p.parent) p.open = true;
    draw();
    if (item) {
        at = was.at;
        center(item);
        light(item.id);
    } else fit();
    showPanel(was.tab === tab);
    writeAddress();
}
let later = 0;
function changed() {
    clearTimeout(later);
    rows = null;
    calm = 0;
    if (file) later = setTimeout(() => split(false), 120);
}

// ---- pins by click, undo and redo ----

const CHECKS = ['demote', 'fuse', 'cross', 'movers'], FIELDS = ['min', 'most', 'onacc', 'oncpu', 'operators', 'launch', 'bandwidth'];
const CALM = 600;   // ms without a click before tables are made that the next click would wait for
let past = [], future = [], current = null;   // what the form said, as text
let calm = 0;

const formState = () => JSON.stringify({ list: $('list').value, plan, inside, ...Object.fromEntries([
    ...FIELDS.map(id => [id, $(id).value]), ...CHECKS.map(id => [id, $(id).checked])]) });
// What was split is a step; another model begins anew.
function remember(isNew) {
    const now = formState();
    if (isNew) past = future = [];
    else if (now !== current) {
        past = [...past, current].slice(-200);
        future = [];
    }
    current = now;
    showSteps();
}
function showSteps() {
    $('undo').disabled = !past.length;
    $('redo').disabled = !future.length;
}
function fillForm(state) {
    plan = state.plan || null;
    inside = state.inside || [];
    showPlan();
    FIELDS.forEach(id => { $(id).value = state[id] || ''; });
    CHECKS.forEach(id => { $(id).checked = state[id]; });
    $('list').value = state.list;
    showList();
}
function takeState(text) {
    fillForm(JSON.parse(text));
    current = text;
    showSteps();
    changedAtOnce();
}
// What stands in the form and could not be split is undone first.
function undo() {
    if (formState() !== current) takeState(current);
    else if (past.length) {
        future = [...future, current];
        const to = past[past.length - 1];
        past = past.slice(0, -1);
        takeState(to);
    }
}
function redo() {
    if (!future.length) return;
    past = [...past, current];
    const to = future[future.length - 1];
    future = future.slice(0, -1);
    takeState(to);
}
function changedAtOnce() {
    clearTimeout(later);
    rows = null;
    calm = CALM;
    return split(false);
}
const pinsOf = id => $(id).value.split(/[\s,]+/).filter(w => w);
const SIDES = { oncpu: 'CPU', onacc: 'Accelerator', free: 'Free' };
// Where pins send a node: the field, and the pattern that does if it is no name.
function pinOf(name) {
    for (const id of ['oncpu', 'onacc']) {
        for (const w of pinsOf(id)) {
            const parts = w.split('*').map(t => t.replace(/[.?+^${}()|[\]\\]/g, '\\$&').replace(/\\\?/g, '.'));
            if (w === name || new RegExp('^' + parts.join('.*') + '$').test(name)) return [id, w === name ? '' : w];
        }
    }
    return ['free', ''];
}
function pin(name, side) {
    for (const id of ['oncpu', 'onacc']) {
        $(id).value = [...pinsOf(id).filter(w => w !== name), ...(id === side ? [name] : [])].join(', ');
    }
    return changedAtOnce();
}
// The panel is made anew: the button that had the keyboard has it again.
function focusPin(side) {
    const again = side && document.querySelector('[data-pin=' + side + ']');
    if (again) again.focus({ preventScroll: true });
}
const reportDetails = PANELS.Details;
PANELS.Details = () => {
    const v = chosen ? chosen.node : -1;
    if (v < 0 || !isCall(nodes[v]) || usesPlan()) return reportDetails();
    const [side, pattern] = pinOf(nodes[v][NAME]);
    return reportDetails() + '<h3 id="pinHead">Runs on</h3><div class="pins" role="group" aria-labelledby="pinHead">'
        + Object.keys(SIDES).map(id => '<button type="button" data-pin="' + id + '" aria-pressed="' + (id === side) + '"'
            + (pattern ? ' disabled' : '') + '>' + SIDES[id] + '</button>').join('') + '</div><p class="note">'
        + (pattern ? 'The pattern ' + esc(pattern) + ' under \u201cPins\u201d sends it there.'
            : 'Free: the list of operators decides.') + '</p>';
};

// ---- a plan from a file, as the program writes and reads it ----

let plan = null;   // { path, text }
const usesPlan = () => !!plan && !inside.length;
const isPlan = (name, head) => /\.plan$/i.test(name) || /^(\s|#.*\n)*plan \d/.test(head);
function showPlan() {
    $('plan').hidden = !plan;
    $('planSays').textContent = plan ? plan.path.replace(/^\.\//, '') + ' says where each node runs. Operators, pins and the options '
        + 'of the cut wait until it is removed.' : '';
    ['cut', 'pinFields', 'accelerator'].forEach(id => { $(id).disabled = !!plan; });
}
function takePlan(text, name) {
    if (!file) {
        complain('A plan is of a model: open that first', true);
        return Promise.resolve();
    }
    leaveAll();
    // Names of files that the program has already are not taken again.
    plan = { path: OWN_FILES.includes(name) || name === file.path ? './' + name : name, text };
    showPlan();
    return changedAtOnce();
}
function removePlan() {
    plan = null;
    showPlan();
    $('planFile').focus();
    return changedAtOnce();
}

// ---- graphs that nodes run: branches, bodies and conditions of loops ----

// From the main graph inwards: the node, the graph that it runs and is shown, and the pins of the graph outside.
let inside = [];
const RUNS = ['then', 'else', 'body', 'cond', 'init', 'calls'];
const placeNow = () => file.path + '\n' + JSON.stringify(inside.map(i => i.graph));
// What a node runs: [what it is for, the name of the graph].
function graphsOf(v) {
    const own = attributes.get(v) || [], found = [];
    for (let i = 0; i < own.length; i += 2) {
        if (RUNS.includes(own[i])) own[i + 1].split(',').forEach(name => found.push([own[i], name]));
    }
    return found;
}
function enter(node, graph) {
    inside = [...inside, { node, graph, onacc: $('onacc').value, oncpu: $('oncpu').value }];
    $('onacc').value = $('oncpu').value = '';
    return moveTo(null);
}
// Back to the graph that so many nodes deep runs the rest, with the node that was opened.
function leave(depth) {
    const { node, onacc, oncpu } = inside[depth];
    inside = inside.slice(0, depth);
    $('onacc').value = onacc;
    $('oncpu').value = oncpu;
    return moveTo(node);
}
function leaveAll() {
    if (inside.length) {
        $('onacc').value = inside[0].onacc;
        $('oncpu').value = inside[0].oncpu;
    }
    inside = [];
}
async function moveTo(node) {
    await changedAtOnce();
    const v = node === null ? -1 : nodes.findIndex((n, i) => titleOf(i) === node);
    if (v >= 0) showNode(v);
    const to = node === null ? $('place').querySelector('button') : v >= 0 && drawnOf(leafOf[v]);
    if (to) to.focus({ preventScroll: true });
}
const drawnOf = item => item && view.querySelector('[data-i="' + item.id + '"]');
// Below the legend.
function setPlace() {
    if (inside.length) $('place').style.top = $('legend').offsetTop + $('legend').offsetHeight + 8 + 'px';
}
function showPlace() {
    $('place').hidden = !inside.length;
    $('place').innerHTML = inside.map((to, i) => '<li><button type="button" data-leave="' + i + '">' + esc(i ? inside[i - 1].graph : 'main')
        + '</button></li>').join('') + (inside.length ? '<li aria-current="location"><b>' + esc(inside[inside.length - 1].graph)
        + '</b>, which ' + esc(inside[inside.length - 1].node) + ' runs</li>' : '');
}
// A node that runs graphs says so in the picture.
const reportLines = lines;
lines = item => {
    const found = item.children ? [] : graphsOf(item.node);
    return [...reportLines(item), ...(found.length ? ['\u25a3 ' + clip(found.map(([, name]) => name).join(', '), 40)] : [])];
};
const bodyDetails = PANELS.Details;
PANELS.Details = () => {
    const v = chosen ? chosen.node : -1, found = v < 0 ? [] : graphsOf(v);
    return bodyDetails() + (found.length ? '<h3 id="graphsHead">Runs graphs</h3><div class="graphs" role="group" aria-labelledby="graphsHead">'
        + found.map(([what, name]) => '<button type="button" data-enter="' + esc(name) + '">Open ' + esc(what) + ': '
            + esc(name) + '</button>').join('') + '</div><p class="note">Each opens with a split of its own, by the same list and '
        + 'options. This node, with all that it runs, is on one side.</p>' : '');
};

// ---- two plans side by side ----

let planA = null;   // { data, says, figures }
const orElse = (known, value) => known ? value : null;
// What plans are compared by: a name, the figure or null, whether it is a lower bound, how it is written.
function planFigures() {
    const s = D.shares, m = D.macs, run = D.run, coverage = s.nodes[1] ? 100 * s.nodes[0] / s.nodes[1] : 0;
    return [['Subgraphs', D.subgraphs.length, false, number], ['On accelerators', s.n_acc, false, number],
        ['Coverage', coverage, false, x => x === coverage ? percent(...s.nodes) : x.toFixed(1) + ' points'],
        ['Values that cross', s.boundary, false, number], ['Bytes that cross', s.boundary_bytes, !!least.boundary, bytes],
        ['Peak of the run', orElse(run && run.given, run && run.peak), least.values > 0, b => bytes(b, Math.ceil)],
        ['MACs on acc.', orElse(m, m && m.of.slice(1).reduce((a, b) => a + b, 0)), !!m && (m.unknown || m.least) > 0, scaled],
        timeFigure(sidesNow())];
}
const figureOf = ([, x, open, write], pending) => x === null ? write === seconds ? 'unknown' : pending ? '\u2026' : '?' : (open ? '&gt;= ' : '') + write(x);
// The time of a run, one node after the other, as split --minimise time counts it: nodes where they run, launches of
// accelerator subgraphs, and values that the other side reads, each once.
function runTime({ acc, launches }) {
    const given = id => Number($(id).value) || 0, launch = given('launch'), rate = given('bandwidth');
    let sum = launch * launches, known = 0, unknown = 0;
    nodes.forEach((n, v) => {
        if (rate && n[OP] !== GET_ATTR && n[OP] !== OUTPUT && users[v].some(u => acc[u] !== acc[v])) {
            if (isLeast(v)) unknown++;
            sum += n[BYTES] / rate;
        }
        if (!isCall(n)) return;
        const x = timeOf(v, acc[v]);
        if (x === undefined) unknown++;
        else { known++; sum += x; }
    });
    return { sum, known, unknown };
}
// Seconds without a side are those of where the node ran when they were given.
function timeOf(v, acc) {
    const own = measureOf(acc ? 'acc_seconds' : 'cpu_seconds', v);
    if (own !== undefined || !measured || !measured.sides) return own;
    return measured.sides.get(nodes[v][NAME]) === acc ? measureOf('seconds', v) : undefined;
}
// Where nodes run, and how many subgraphs are launched.
const sidesNow = () => ({ acc: nodes.map((n, v) => onAcc(v)), launches: D.shares.n_acc });
function timeFigure(sides) {
    const time = runTime(sides);
    return ['Seconds', orElse(time.known, time.sum), time.unknown > 0, seconds];
}
function differenceOf([, a, openA], [, b, openB, write]) {
    if (a === null || b === null || openA || openB) return '?';
    return a === b ? 'same' : (b < a ? '\u2212' : '+') + write(Math.abs(b - a)).replace(/ %$/, ' points');
}
const planOf = () => ({ data: D, says: [...(usesPlan() ? [] : [$('list').value]), ...options()].join(' '),
    figures: planFigures(), place: placeNow(), sides: sidesNow() });
function showPlans() {
    if (planA && planA.data === D) planA.figures = planFigures();   // some come a moment later
    $('plans').hidden = !planA;
    if (!planA) return;
    // Times may be given later.
    if (planA.place === placeNow()) planA.figures[planA.figures.length - 1] = timeFigure(planA.sides);
    const now = planOf(), pending = !D.peaks, pendingA = planA.data === D && pending;
    const head = (name, says) => '<th scope="col" class="n">' + name + '<small>' + esc(clip(says, 70)) + '</small></th>';
    $('plansTable').innerHTML = '<thead><tr><th scope="col"><span class="unseen">Figure</span></th>' + head('A', planA.says)
        + head('B', now.says) + head('B \u2212 A', '') + '</tr></thead><tbody>' + now.figures.map((b, i) => {
            const a = planA.figures[i];
            return '<tr><th scope="row">' + b[0] + '</th>' + figure(figureOf(a, pendingA)) + figure(figureOf(b, pending))
                + figure(pending && b[1] === null ? '\u2026' : differenceOf(a, b)) + '</tr>';
        }).join('') + '</tbody>';
}
function keepAsA() {
    planA = planOf();
    showPlans();
    $('status').textContent = 'Kept as A. Change an option to see the difference.';
}
function endPlans() {
    planA = null;
    showPlans();
    $('keepA').focus();
}

// ---- what was measured: seconds and errors of nodes, from a CSV ----

const UNITS = { seconds: seconds, cpu_seconds: seconds, acc_seconds: seconds, error: x => Number.isFinite(x) ? String(Number(x.toPrecision(3))) : String(x) };
const LEVELS = 5, wordOf = what => ({ cpu_seconds: 'seconds on CPU', acc_seconds: 'seconds on acc.' })[what] || what;
// { name, values: of each kind a map from names of nodes, what: the kind that is painted, sides: where nodes ran then }
let measured = null;

// Rows of fields; a field in quotes may hold what divides fields and rows, and "" for a quote.
function csvRows(text) {
    const first = text.split('\n')[0], rows = [[]], divider = [',', ';', '\t'].find(d => first.includes(d)) || ',';
    const one = new RegExp('(?:"((?:[^"]|"")*)"|([^"' + divider + '\\r\\n]*))(' + divider + '|\\r?\\n|$)', 'y');
    while (one.lastIndex < text.length) {
        const [whole, quoted, bare, end] = one.exec(text) || ['', undefined, null, ''];
        if (bare === null) throw new Error('line ' + rows.length + ' has a quote that does not end its field');
        rows[rows.length - 1].push(quoted !== undefined ? quoted.replace(/""/g, '"') : bare.trim());
        if (whole && end !== divider) rows.push([]);
    }
    return rows;
}
function csvNumber(text) {
    if (/^[+-]?nan$/i.test(text)) return NaN;
    return /^[+-]?inf(inity)?$/i.test(text) ? Infinity : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : null;
}
// Without a header, the second column has seconds, or the second and the third those of CPU and accelerator.
function readMeasures(text) {
    const rows = csvRows(text.replace(/^\uFEFF/, '')), hasHead = rows[0].length > 1 && csvNumber(rows[0][1]) === null;
    const head = hasHead ? rows[0].map(h => h.toLowerCase())
        : rows[0].length > 2 ? ['node', 'cpu_seconds', 'acc_seconds'] : ['node', 'seconds'], node = head.indexOf('node');
    const columns = Object.keys(UNITS).map(what => [what, head.indexOf(what)]).filter(([, at]) => at >= 0);
    const values = Object.fromEntries(columns.map(([what]) => [what, new Map()]));
    if (node < 0 || !columns.length) throw new Error('its header names no column node, and seconds, cpu_seconds, acc_seconds or error');
    rows.slice(hasHead ? 1 : 0).forEach((row, i) => columns.forEach(([what, at]) => {
        if (!row[at]) return;
        const x = csvNumber(row[at]);
        if (x === null || (what !== 'error' && !(x >= 0 && x < Infinity))) {
            throw new Error('line ' + (i + (hasHead ? 2 : 1)) + ' has \u201c' + clip(row[at], 30) + '\u201d for ' + what);
        }
        values[what].set(row[node], Math.abs(x));
    }));
    if (columns.every(([what]) => !values[what].size)) throw new Error('it has no value of a node');
    return values;
}
function takeMeasures(text, name) {
    try {
        const values = readMeasures(text);
        measured = { name, values, what: Object.keys(values)[0] };
    } catch (error) {
        complain(name + ' cannot be read as measured values: ' + error.message, false);
        document.body.classList.remove('stale');
        return;
    }
    if (file) $('banner').hidden = true;
    showMeasures();
    setPlace();
    if (D) { draw(); showPanel(); showPlans(); }
}
function forgetMeasures() {
    measured = null;
    showMeasures();
    if (D) { draw(); showPanel(); showPlans(); }
    $('csv').focus();
}
const measureOf = (what, v) => measured && measured.values[what] ? measured.values[what].get(nodes[v][NAME]) : undefined;
// The scale: equal steps of what is finite, or equal factors where it spans more than ten.
function makeScale() {
    const all = nodes.map((n, v) => measureOf(measured.what, v)).filter(x => x < Infinity);
    const most = largest(all), least = Math.max(all.reduce((a, x) => x > 0 ? Math.min(a, x) : a, most), most / 1e4);
    measured.ends = Array.from({ length: LEVELS }, (x, i) => i === LEVELS - 1 ? most
        : most > 10 * least ? least * (most / least) ** ((i + 1) / LEVELS) : most * (i + 1) / LEVELS);
}
const largest = list => list.reduce((a, b) => Math.max(a, b), 0);
const levelOf = x => Number.isFinite(x) ? measured.ends.findIndex(end => x <= end) : LEVELS - 1;
function showMeasures() {
    const old = $('scale');
    if (old) old.remove();
    $('measures').hidden = !measured;
    $('measuresSay').textContent = '';
    if (!measured) return;
    const { name, values } = measured, names = new Set(Object.values(values).flatMap(m => [...m.keys()]));
    $('paint').innerHTML = Object.keys(values).map(what => '<option value="' + what + '">' + wordOf(what) + '</option>').join('');
    $('paint').value = measured.what;
    if (!D) return;
    if (!measured.sides) measured.sides = new Map(nodes.map((n, v) => [n[NAME], onAcc(v)]));
    const known = new Set(nodes.map(n => n[NAME])), unknown = [...names].filter(n => !known.has(n)).length;
    $('measuresSay').textContent = name + ': ' + count(names.size - unknown, 'node') + ' painted'
        + (unknown ? ', ' + count(unknown, 'name') + ' unknown in this model.' : '.');
    makeScale();
    $('legend').insertAdjacentHTML('beforeend', '<span id="scale"><b>' + wordOf(measured.what) + '</b>' + measured.ends.map((end, i) =>
        '<span><i class="dot m' + i + '"></i>' + (i === LEVELS - 1 && nodes.some((n, v) => {
            const x = measureOf(measured.what, v);
            return x !== undefined && !Number.isFinite(x);
        }) ? 'more, inf, nan' : '\u2264 ' + UNITS[measured.what](end)) + '</span>').join('') + '</span>');
}
// Of a box, the largest of its nodes.
function worstOf(item, what) {
    const all = (item.children ? leaves(item) : [item.node]).map(v => measureOf(what, v)).filter(x => x !== undefined);
    return !all.length ? undefined : all.some(x => !Number.isFinite(x)) ? all.find(x => !Number.isFinite(x)) : largest(all);
}
paint = item => {
    const x = measured && measured.ends ? worstOf(item, measured.what) : undefined;
    return x === undefined ? ['', ''] : [' painted m' + levelOf(x), (item.children ? 'at most ' : '') + UNITS[measured.what](x)
        + (measured.what === 'error' ? ' error' : '')];
};
// What the details of a node or a box say.
function measuredRows() {
    if (!measured || !chosen) return '';
    const list = chosen.node >= 0 ? [chosen.node] : leaves(chosen);
    return Object.keys(measured.values).map(what => {
        const all = list.map(v => measureOf(what, v)).filter(x => x !== undefined), unit = UNITS[what];
        if (!all.length) return '';
        const sum = all.reduce((a, b) => a + b, 0), whole = nodes.reduce((a, n, v) => a + (measureOf(what, v) || 0), 0);
        return what !== 'error' ? row(what === 'seconds' ? 'measured' : wordOf(what), unit(sum) + (whole ? ', ' + percent(sum, whole) + ' of all nodes' : ''))
            : row(chosen.node >= 0 ? 'error' : 'largest error', unit(worstOf(chosen, what)));
    }).join('');
}

// ---- what the panel has beside that of the report ----

const pinDetails = PANELS.Details;
PANELS.Details = () => pinDetails().replace('<dl>', '<dl>' + measuredRows().replace(/\$/g, '$$$$'));

let explained = new Map();
explain = async v => {
    if (nodes[v][OP] === OUTPUT) return '';
    if (!explained.has(v)) {
        if (!await quiet()) return '';
        const got = await run(['--why=' + nodes[v][NAME]]);
        explained.set(v, got.code === 0 ? got.files.out.trim() : '');
    }
    return explained.get(v);
};
const reportOverview = PANELS.Overview;
PANELS.Overview = () => {
    const hints = notes.split('\n').filter(l => l);
    if (!D.shares.nodes[0] && D.shares.nodes[1]) {
        hints.push('Nothing runs on the accelerator. Choose another list, or change this one under \u201cIts operators\u201d.');
    }
    const unknown = nodes.filter(n => isCall(n) && n[TYPE] < 0).length;
    if (file.onnx && unknown) {
        hints.push('The file has no shapes for ' + count(unknown, 'node') + ', which count as 0 B: graphsplit-onnx infers them.');
    }
    return hints.map(h => '<p class="hint">' + esc(h) + '</p>').join('') + reportOverview() + comparison();
};
function comparison() {
    const list = rows && rows.filter(([, s]) => s.nodes[0] > 0);
    if (!list || list.length < 2) return '';
    list.sort((a, b) => b[1].nodes[0] - a[1].nodes[0]);
    return '<h3>On other accelerators</h3><table><thead><tr><th>list</th><th class="n">covered</th>'
        + '<th class="n">cuts</th><th class="n">bytes cut</th></tr></thead><tbody>' + list.map(([name, s]) =>
            '<tr data-list="' + esc(name) + '"' + (name === $('list').value ? ' class="now"' : '') + '>'
            + cell(esc(name)) + '</td>' + figure(percent(...s.nodes)) + figure(number(s.boundary))
            + figure(bytes(s.boundary_bytes)) + '</tr>').join('') + '</tbody></table>';
}
PANELS.Text = () => '<pre id="report">' + esc(report) + '</pre>';

// ---- files out ----

const stem = () => file.path.replace(/^\.\//, '').replace(/\.[^.]*$/, '');
function save(name, content, type) {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([content], { type: type || 'text/plain' }));
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}
const SUMS = Uint32Array.from({ length: 256 }, (x, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xEDB88320 ^ (n >>> 1) : n >>> 1;
    return n;
});
const checksum = data => ~data.reduce((c, b) => SUMS[(c ^ b) & 255] ^ (c >>> 8), -1) >>> 0;
// A ZIP file that stores: a header and the bytes a file, then the list of all.
function zip(files) {
    const parts = [], ends = [], encoder = new TextEncoder();
    let at = 0, size = 0;
    files.forEach(([path, content]) => {
        const name = encoder.encode(path), data = encoder.encode(content);
        const sum = checksum(data);
        const head = more => {
            const v = new DataView(new ArrayBuffer(26 + more));
            // version 2.0, names in UTF-8, stored, the first day of ZIP
            [[0, 20, 2], [2, 0x800, 2], [8, 0x21, 2], [10, sum, 4], [14, data.length, 4], [18, data.length, 4],
                [22, name.length, 2]].forEach(([o, x, n]) => n === 2 ? v.setUint16(o, x, true) : v.setUint32(o, x, true));
            return v;
        };
        const entry = head(14);
        entry.setUint32(36, at, true);
        parts.push(new Uint8Array([0x50, 0x4B, 3, 4]), head(0), name, data);
        ends.push(new Uint8Array([0x50, 0x4B, 1, 2, 20, 0]), entry, name);
        at += 30 + name.length + data.length;
        size += 46 + name.length;
    });
    const end = new DataView(new ArrayBuffer(22));
    end.setUint32(0, 0x06054B50, true);
    end.setUint16(8, files.length, true);
    end.setUint16(10, files.length, true);
    end.setUint32(12, size, true);
    end.setUint32(16, at, true);
    return new Blob([...parts, ...ends, end]);
}
// The picture as it is now, whole, in the colours that its reader prefers.
function picture() {
    const copy = svg.cloneNode(true), style = document.createElementNS(svg.namespaceURI, 'style');
    style.textContent = document.querySelector('style').textContent
        + 'svg { background: var(--bg); font-family: system-ui, sans-serif; }';
    copy.querySelector('#view').removeAttribute('transform');
    copy.setAttribute('viewBox', [-20, -20, root.w + 40, root.h + 40].join(' '));
    copy.prepend(style);
    return new XMLSerializer().serializeToString(copy);
}
const SAVES = {
    html: [['--html', 'data'], got => save(stem() + '.html', got.data, 'text/html')],
    svg: [[], () => save(stem() + '.svg', picture(), 'image/svg+xml')],
    dot: [['--dot', 'data'], got => save(stem() + '.dot', got.data)],
    plan: [['--save-plan', 'plan'], got => save(stem() + '.plan', got.plan)],
    subgraphs: [['--emit', 'subgraphs'], got => save(stem() + '.subgraphs.zip', zip(Object.keys(got)
        .filter(p => p.startsWith('subgraphs/')).sort().map(p => [p.slice(10), got[p]])), 'application/zip')],
    text: [['--porcelain'], got => save(stem() + '.split.txt', got.out)],
    json: [['--html', 'data'], got => save(stem() + '.json', dataOf(got.data), 'application/json')],
    report: [['--all'], got => save(stem() + '.report.txt', got.out)],
};
async function download(what) {
    const [args, write] = SAVES[what];
    $('downloads').open = false;
    wait('Writing \u2026');
    try {
        const got = await run(args, 'whole');
        wait();
        if (got.code === 0) write(got.files);
        else complain(sentence(got.files.err), false);
    } catch (error) {
        wait();
        complain(error.message, false);
    }
}

// ---- a link that carries the options and the model ----

// Behind '#link=' stands, deflated and in base64url: a checksum, the length of a header, the header in
// JSON, and the bytes of the model where they are few enough.
const EXAMPLE = 'tflite_deeplabv3_mnv2_dm05_pascal_quant.fx', sample = () => JSON.parse($('sample').textContent);
const MOST_LINK = 60000;      // characters of a link
const MOST_INSIDE = 1 << 25;  // bytes of a model that is tried, and that a link grows to

async function through(stream, bytes) {
    const parts = [], reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    let size = 0;
    for (let got = await reader.read(); !got.done; got = await reader.read()) {
        size += got.value.length;
        if (size > MOST_INSIDE + MOST_LINK) throw new Error('too large');
        parts.push(got.value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}
async function pack(header, model) {
    const head = new TextEncoder().encode(JSON.stringify(header)), all = new Uint8Array(8 + head.length + model.length);
    const view = new DataView(all.buffer);
    view.setUint32(4, head.length, true);
    all.set(head, 8);
    all.set(model, 8 + head.length);
    view.setUint32(0, checksum(all.subarray(4)), true);
    const packed = await through(new CompressionStream('deflate-raw'), all);
    let text = '';
    for (let i = 0; i < packed.length; i += 8192) text += String.fromCharCode(...packed.subarray(i, i + 8192));
    return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
async function unpack(text) {
    const packed = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
    const all = await through(new DecompressionStream('deflate-raw'), packed);
    const view = new DataView(all.buffer), length = view.getUint32(4, true);
    if (view.getUint32(0, true) !== checksum(all.subarray(4))) throw new Error('damaged');
    return { header: JSON.parse(new TextDecoder().decode(all.subarray(8, 8 + length))), model: all.subarray(8 + length) };
}
// What others need to see the same: the form, where the panel is, and the model, its name at least.
async function makeLink() {
    const form = JSON.parse(formState()), shown = keep();
    if (listOf(form.list)) delete form.operators;
    const header = { form, tab: shown.tab, node: shown.node, name: file.onnx || file.path, isText: !!file.onnx };
    const address = location.href.replace(/#[^]*/, '') + '#link=';
    if (file.path === EXAMPLE && await file.blob.text() === sample()) {
        return { url: address + await pack({ ...header, holds: 'example' }, []), says: 'the example' };
    }
    if (file.blob.size <= MOST_INSIDE) {
        const url = address + await pack({ ...header, holds: 'model' }, new Uint8Array(await file.blob.arrayBuffer()));
        if (url.length <= MOST_LINK) return { url, says: 'the model' };
    }
    return { url: address + await pack({ ...header, holds: 'name' }, []), says: '' };
}
async function copyLink() {
    const { url, says } = await makeLink();
    $('url').hidden = false;
    $('url').value = url;
    $('url').select();
    const copied = document.execCommand('copy');
    if (copied) $('link').focus();
    $('linkSays').textContent = (copied ? 'Copied' : 'Copy it from here') + ': ' + number(url.length) + ' characters, with '
        + (says ? says + ' and all options.' : 'all options; the model is too large for a link, so send '
            + (file.onnx || file.path) + ' along.');
}
async function followLink() {
    const text = new URLSearchParams(location.hash.slice(1)).get('link');
    if (text === null) return;
    let got;
    try {
        got = await unpack(text);
        if (got.header.form.list !== OWN && !listOf(got.header.form.list)) throw new Error('no such list');
    } catch (error) {
        complain('This link is damaged or was cut off, or it comes from another version of this page', !D);
        return;
    }
    const { form, holds, name, isText, tab: to, node } = got.header;
    fillForm({ operators: (listOf(form.list) || { text: '' }).text, ...form });
    if (holds === 'name' && file && (file.onnx || file.path) === name) {
        await split(false);
        return;
    }
    if (holds === 'name') {
        awaited = name;
        complain('The options of this link are set. Its model is too large for a link: open ' + name + ' here', true);
        return;
    }
    await open(new Blob([holds === 'example' ? sample() : got.model]), name, isText, true);
    if (document.body.classList.contains('empty')) return;
    const v = node === null ? -1 : nodes.findIndex((n, i) => titleOf(i) === node);
    if (v >= 0) showNode(v);
    else if (to in PANELS) openTab(to);
}

// ---- what people do ----

async function take(files) {
    let opened = false, before = null;
    // A plan is of the model that comes with it.
    for (const f of [...files].sort((a, b) => isPlan(a.name, '') - isPlan(b.name, ''))) {
        if (/\.ops$/i.test(f.name)) {
            takeOwnList(await f.text());
            if (!opened && file) changed();
        } else if (/\.csv$/i.test(f.name)) {
            takeMeasures(await f.text(), f.name);
        } else if (isPlan(f.name, await f.slice(0, 4096).text())) {
            await before;
            takePlan(await f.text(), f.name);
        } else if (!opened) {
            opened = true;
            before = open(f, f.name);
        }
    }
}
$('file').onchange = () => { take([...$('file').files]); $('file').value = ''; };
$('example').onclick = () => {
    chooseList(FIRST);
    open(new Blob([sample()]), EXAMPLE);
};
let over = 0;   // elements that a dragged file is over
const hasFiles = e => e.dataTransfer && [...e.dataTransfer.types].includes('Files');
addEventListener('dragenter', e => { if (hasFiles(e)) { over++; $('veil').hidden = false; } });
addEventListener('dragleave', () => { over = Math.max(0, over - 1); if (!over) $('veil').hidden = true; });
addEventListener('dragover', e => { e.preventDefault(); });
addEventListener('drop', e => {
    e.preventDefault();
    over = 0;
    $('veil').hidden = true;
    const dropped = [...e.dataTransfer.items].map(i => i.webkitGetAsEntry && i.webkitGetAsEntry());
    const folder = dropped.find(d => d && d.isDirectory);
    if (folder) complain('\u201c' + folder.name + '\u201d is a folder. Drop a file: a .tflite or .onnx model, or graph text', !D);
    else if (e.dataTransfer.files.length) take([...e.dataTransfer.files]);
});
addEventListener('paste', e => {
    const text = e.clipboardData.getData('text/plain');
    if (!e.target.closest('input, textarea') && text.trim()) open(new Blob([text]), 'pasted.fx');
});
$('list').onchange = () => { chooseList($('list').value); changed(); };
$('operators').oninput = () => { $('list').value = OWN; showList(); changed(); };
$('controls').addEventListener('input', e => { if (e.target.closest('input:not([type=file])')) changed(); });
$('controls').addEventListener('submit', e => e.preventDefault());
$('stop').onclick = stop;
$('copy').onclick = () => {
    getSelection().selectAllChildren($('command'));
    document.execCommand('copy');
    $('copy').textContent = 'Copied';
    setTimeout(() => { $('copy').textContent = 'Copy'; }, 1500);
};
document.body.addEventListener('click', e => {
    const row = e.target.closest('[data-list]'), button = e.target.closest('[data-save]');
    const side = e.target.closest('[data-pin]');
    const into = e.target.closest('[data-enter]'), out = e.target.closest('[data-leave]');
    if (into) enter(titleOf(chosen.node), into.dataset.enter);
    if (out) leave(+out.dataset.leave);
    if (row) { chooseList(row.dataset.list); split(false); }
    if (button) download(button.dataset.save);
    if (side) {
        pin(nodes[chosen.node][NAME], side.dataset.pin).then(() => focusPin(side.dataset.pin));
    }
    if (!e.target.closest('#downloads')) $('downloads').open = false;
});
addEventListener('keydown', e => {
    if (e.key === 'Escape') $('downloads').open = false;
    // A field undoes what is typed into it.
    if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== 'z'
        || e.target.closest('textarea, input:not([type=checkbox]):not([type=file])')) return;
    e.preventDefault();
    if (e.shiftKey) redo();
    else undo();
});
$('undo').onclick = undo;
$('redo').onclick = redo;
$('link').onclick = copyLink;
$('keepA').onclick = keepAsA;
$('planFile').onchange = () => { take([...$('planFile').files]); $('planFile').value = ''; };
$('removePlan').onclick = removePlan;
$('csv').onchange = () => { take([...$('csv').files]); $('csv').value = ''; };
$('paint').onchange = () => { measured.what = $('paint').value; showMeasures(); draw(); };
$('forget').onclick = forgetMeasures;
$('endPlans').onclick = endPlans;
addEventListener('hashchange', followLink);

// ---- begin ----

$('tabs').before($('plans'));
$('legend').after($('place'));
$('list').innerHTML = lists.map(l => '<option>' + esc(l.name) + '</option>').join('') + '<option>' + OWN + '</option>';
chooseList(FIRST);
startWorker();
followLink();
