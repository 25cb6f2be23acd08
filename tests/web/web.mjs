// Called by run.sh: PROGRAM, the folder of the page, a folder for files, the browser or '', axe-core.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { launch } from './chromium.mjs';

const [program, built, folder] = process.argv.slice(2, 5).map(p => path.resolve(p)),
    browser = process.argv[5],
    axe = process.argv[6];
const MODELS = path.resolve(process.env.GRAPHSPLIT_SHARED || '../shared', 'models'),
    OURS = path.resolve('examples/models');
let passed = 0,
    failed = 0,
    skipped = 0;

function check(label, is, should) {
    const good = should === undefined ? Boolean(is) : is === should;
    if (good) passed++;
    else {
        failed++;
        console.log('FAILED: ' + label);
        if (should !== undefined)
            console.log(
                '  is     ' + JSON.stringify(is).slice(0, 600) + '\n  should ' + JSON.stringify(should).slice(0, 600),
            );
    }
    return good;
}
function skip(label, why) {
    skipped++;
    console.log('skipped: ' + label + ' (' + why + ')');
}
function section(label) {
    console.log('-- ' + label);
}
// The command line, where the model lies: { code, out, err }.
function cli(model, args) {
    try {
        const out = execFileSync(program, ['split', ...args, '--', path.basename(model)], {
            cwd: path.dirname(model),
            stdio: 'pipe',
            maxBuffer: 1 << 28,
            encoding: 'utf8',
        });
        return { code: 0, out, err: '' };
    } catch (e) {
        return { code: e.status, out: e.stdout, err: e.stderr };
    }
}
function write(name, content) {
    fs.writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
}
const sentence = err =>
    err
        .replace(/^graphsplit: /, '')
        .replace(/\nTry '.*\n?/, '')
        .trim();

// ---- the page as a file ----

section('one file, no network');
const page = fs.readFileSync(path.join(built, 'index.html'), 'utf8');
const wasm = fs.readFileSync(path.join(built, 'graphsplit.wasm'));
const module = await WebAssembly.compile(wasm);
console.log('index.html: ' + page.length + ' bytes, of which graphsplit.wasm ' + wasm.length);
check('the program has less than 150 KB', wasm.length < 150 * 1000);
check('the program calls nothing from outside', WebAssembly.Module.imports(module).length, 0);
const policy = (/Content-Security-Policy" content="([^"]*)"/.exec(page) || [])[1] || '';
["default-src 'none'", "connect-src 'none'", "form-action 'none'", "base-uri 'none'"].forEach(p =>
    check('the policy says ' + p, policy.includes(p)),
);
check(
    'the policy allows no address',
    !/https?:|\*|'self'|unsafe-eval'(?<!wasm-unsafe-eval')|script-src[^;]*unsafe-inline/.test(policy),
);
check(
    'the page loads nothing',
    !/<link|<img|<iframe|@import|url\((?!#)|fetch\(|XMLHttpRequest|WebSocket|sendBeacon|\bsrc=/.test(page),
);

// ---- the program, without a browser ----

section('the program under node');
const encoder = new TextEncoder(),
    decoder = new TextDecoder();
async function run(args, files) {
    const x = (await WebAssembly.instantiate(module, {})).exports;
    const room = bytes => {
        const p = x.room(bytes.length || 1);
        new Uint8Array(x.memory.buffer).set(bytes, p);
        return p;
    };
    files.forEach(([name, bytes]) => x.add(room(encoder.encode(name + '\0')), room(bytes), bytes.length));
    const list = encoder.encode(args.map(a => a + '\0').join(''));
    const code = x.run(room(list), list.length);
    const file = i => {
        const [, data, size] = new Uint32Array(x.memory.buffer, x.file(i), 3);
        return decoder.decode(new Uint8Array(x.memory.buffer, data, size));
    };
    return { code, out: file(0), err: file(1) };
}
{
    const cases = fs.readdirSync('tests/golden/split').filter(f => f.endsWith('.case'));
    let equal = 0;
    for (const c of cases) {
        const [, words, graph, expected] = fs.readFileSync('tests/golden/split/' + c, 'utf8').split(/^==== .*\n/m);
        const args = words.trim().split(/\s+/).slice(1);
        const got = await run([...args, '--porcelain', 'x.fx'], [['x.fx', encoder.encode(graph)]]);
        equal += got.out === expected ? 1 : 0;
    }
    check('golden files of split, as printed by the program', equal, cases.length);
    check('there are golden files', cases.length > 50);
}
// Damaged files: a status and a sentence, never a trap.
async function damage(label, model) {
    const good = fs.readFileSync(model),
        name = path.basename(model);
    let seed = 12345,
        told = 0,
        read = 0,
        broke = '';
    const random = n => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return Math.floor(seed / 65536) % n;
    };
    for (let i = 0; i < 240 && !broke; i++) {
        let bytes = Uint8Array.from(good.subarray(0, i % 3 ? good.length : random(32768) % good.length));
        for (let k = i % 3 ? 1 + random(8) : 0; k > 0 && bytes.length; k--) {
            bytes[random(32768) % Math.min(bytes.length, i % 2 ? 2000 : bytes.length)] = [
                0,
                255,
                127,
                128,
                random(256),
            ][random(5)];
        }
        try {
            const got = await run(['--acc-ops', 'tflite.*', '--', name], [[name, bytes]]);
            if (got.code === 0) read++;
            else if (got.code === 1 && sentence(got.err).length > 10) told++;
            else broke = 'exit ' + got.code + ', ' + got.err;
        } catch (e) {
            broke = e.message;
            write('broke-' + name, bytes);
        }
    }
    check(label + ': ' + told + ' refused with a sentence, ' + read + ' read', broke, '');
    check(label + ': some are refused', told > 20);
}
await damage('240 damaged graph texts', path.join(OURS, 'tflite_person_detect.fx'));
if (fs.existsSync(MODELS)) await damage('240 damaged models', path.join(MODELS, 'tflite/mlperf_tiny_kws.tflite'));
else skip('damaged .tflite files', 'no ../shared/models');

// ---- the page ----

function done() {
    console.log(passed + ' passed, ' + failed + ' failed' + (skipped ? ', ' + skipped + ' skipped' : ''));
    process.exit(failed ? 1 : 0);
}
if (!browser) {
    skip('the page', 'no chromium');
    done();
}
const b = await launch(browser, folder);
const url = 'file://' + path.join(built, 'index.html');
let p;

const SHOWN =
    '!document.body.classList.contains("empty") && $("banner").hidden && !document.body.classList.contains("stale")';
const text = id => p.run('$("' + id + '").textContent');
// Drops files and waits for the picture of the last, or a sentence.
async function drop(files) {
    await p.run('window.settled = false; $("title").textContent = ""; $("banner").hidden = true; 0');
    await p.drop([].concat(files));
    return p.until('$("title").textContent !== "" || !$("banner").hidden', 30);
}
// The report of the command line, as it stands in the page when it is there.
const report = expected => p.until('report === ' + JSON.stringify(expected), 10);
// The list that is chosen already is left alone: the page would split once more while its tables are read.
async function choose(list) {
    if ((await p.run('$("list").value')) === list) return;
    await p.run('$("list").value = ' + JSON.stringify(list) + '; $("list").dispatchEvent(new Event("change")); 0');
}
// Nothing is under way any more, and what the form says is what was run.
const settled = words =>
    p.until(
        'tasks.size === 0 && $("command").textContent === ' +
            JSON.stringify(['graphsplit', 'split', ...words].join(' ')),
        20,
    );
// Types into a field as a user does: all of it anew.
async function type(id, value) {
    await p.run('$("fold").open = true; $("' + id + '").focus(); $("' + id + '").select(); 0');
    if (value) await p.call('Input.insertText', { text: value });
    else await p.key('Delete');
}
async function saved(name) {
    const at = path.join(folder, name);
    for (let i = 0; i < 700 && !(fs.existsSync(at) && fs.statSync(at).size); i++)
        await new Promise(r => setTimeout(r, 30));
    return fs.existsSync(at) ? fs.readFileSync(at) : Buffer.alloc(0);
}
async function download(what, name) {
    fs.rmSync(path.join(folder, name), { force: true });
    // A page that is closed takes the folder of downloads with it.
    await p.call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await p.run('$("downloads").open = true; 0');
    await p.click('[data-save=' + what + ']');
    return saved(name);
}
// The files of a ZIP that stores, by the list at its end.
function unzip(bytes) {
    const files = {};
    let at = bytes.readUInt32LE(bytes.length - 6);
    for (let left = bytes.readUInt16LE(bytes.length - 12); left > 0; left--) {
        const size = bytes.readUInt32LE(at + 24),
            n = bytes.readUInt16LE(at + 28),
            from = bytes.readUInt32LE(at + 42);
        const data = from + 30 + bytes.readUInt16LE(from + 26);
        files[bytes.toString('utf8', at + 46, at + 46 + n)] = bytes.toString('utf8', data, data + size);
        at += 46 + n;
    }
    return files;
}
const plain = s => s.replace(/(\d),(?=\d{3})/g, '$1');
// What the panel shows against what the command line prints for the same file and list.
async function compare(model, list) {
    const label = path.basename(model) + ' on ' + list,
        expected = cli(model, ['--acc-ops', list]);
    check(label + ': the command', await settled(['--acc-ops', list, path.basename(model)]));
    if (!check(label + ': the report', await report(expected.out))) return;
    const [, on, all, share] = /: (\d+) of (\d+) callable nodes \(([^),]*)/.exec(expected.out) || [];
    await p.click('#tabOverview');
    check(
        label + ': coverage',
        all && plain(await text('panel')).includes(share + on + ' of ' + all + ' callable node'),
    );
    check(
        label + ': upper bound',
        (await text('figures')).includes('(upper bound)') === /callable nodes \([^)]*, upper bound\)/.test(expected.out),
    );
    await p.click('#tabSubgraphs');
    check(label + ': the tables of the report', await p.until('D.peaks && $("panel").textContent.includes("peak")', 20));
    const rows = await p.run(
        '[...document.querySelectorAll("#panel table")[0].tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent).join("|"))',
    );
    const shown = rows.map(plain);
    const table = cli(model, ['--acc-ops', list, '--all'])
        .out.split('SUBGRAPHS')[1]
        .split('\n\n')[0]
        .split('\n')
        .slice(2)
        .map(l => l.trim().split(/ {2,}/))
        .map(c => [c[0], c[2], c[4], c[6], c[7], c[8]].join('|'));
    check(label + ': subgraphs', shown.join('\n'), table.slice(0, 300).join('\n'));
    await p.click('#tabCuts');
    const [, n, total, , more, rest] =
        /between them, (\d+) values? \(([^)]*)\) cross[^,\n]*(, (\d+) more \(([^)]*)\))?/.exec(expected.out) || [];
    const cuts = +n + +(more || 0);
    const values = count => count + ' value' + (+count === 1 ? '' : 's');
    check(
        label + ': cuts',
        plain(await text('panel')).startsWith(
            cuts === 0
                ? 'No value passes'
                : 'Values that pass from one subgraph to another, once a receiver: ' +
                      values(n) +
                      ' (' +
                      total +
                      ') of an accelerator' +
                      (more ? ', ' + values(more) + ' (' + rest + ') from CPU to CPU' : ''),
        ),
    );
    check(
        label + ': each cut is there',
        await p.run('document.querySelectorAll("#panel tbody tr[data-node]").length'),
        Math.min(300, cuts),
    );
    const why = cli(model, ['--acc-ops', list, '--why', '--all'])
        .out.split('\n')
        .slice(1)
        .filter(l => l)
        .map(l => l.trim().split(/ {2,}/))
        .filter(c => c.length === 5);
    // Name, subgraph, reason, and what an accelerator objects to where it is no other node.
    const reasons = await p.run(
        'nodes.map((x, v) => [x, v]).filter(([x, v]) => kindOf(v) === 0).map(([x, v]) => [x[NAME], ' +
            'D.subgraphs[x[SUB]].tag, reasonOf(v), x[CULPRIT] >= 0 && x[CULPRIT] !== v ? "" : objection(v) || "itself"])',
    );
    check(label + ': as many nodes have a reason', reasons.length, why.length);
    const short = why.map((c, i) => i).filter(i => why[i][0].length < 60 && !why[i][0].endsWith('...'));
    check(
        label + ': reasons',
        short.map(i => reasons[i].join('|')).join('\n'),
        short.map(i => [why[i][0], why[i][2], why[i][4], reasons[i][3] && why[i][3]].join('|')).join('\n'),
    );
    await p.click('#tabWhy');
    check(
        label + ': as many nodes have a reason in the panel',
        await p.run(
            '[...document.querySelectorAll("#panel h3")].reduce((s, h) => s + parseInt(h.textContent.replace(",", "")), 0)',
        ),
        why.length,
    );
}

try {
    section('from disk');
    p = await b.page(url);
    check(
        'it opens with an invitation',
        await p.run('document.body.classList.contains("empty") && $("example").offsetWidth > 0'),
    );
    await p.key('Tab', 'Tab');
    check('the first key reaches the choice of a file', await p.run('document.activeElement.id'), 'file');
    await p.key('Tab', 'Tab');
    await p.key('Enter', 'Enter', '\r');
    check('the next one the example', await p.until(SHOWN));
    check('the program runs in a worker', await p.run('worker instanceof Worker'));

    section('dropped files');
    const ours = [
        ['tflite_deeplabv3_mnv2_dm05_pascal_quant.fx', ['xnnpack', 'hexagon']],
        ['tflite_person_detect.fx', ['xnnpack']],
        ['onnx_mnist.fx', ['tensorrt', 'ethos-u55']],
    ];
    for (const [name, lists] of ours) {
        const model = path.join(OURS, name);
        await drop(model);
        check(name + ': its name', await text('title'), name);
        for (const list of lists) {
            await choose(list);
            await compare(model, list);
        }
    }
    const theirs = [
        ['tflite/person_detect.tflite', 'xnnpack'],
        ['tflite/deeplabv3_mnv2_dm05_pascal_quant.tflite', 'edgetpu'],
        ['tflite/torchaudio_conformer.tflite', 'xnnpack'],
        ['tflite/keyword_scrambled_8bit.tflite', 'ethos-u55'],
        ['tflite/audio_preprocessor_int8.tflite', 'ethos-u55'],
        ['tflite/dtln_noise_suppression.tflite', 'nnapi'],
        ['tflite/person_detect_vela.tflite', 'ethos-u55'],
        ['fx/onnx_silero_vad_16k.fx', 'tensorrt'],
        ['fx/torch_transformer_train_aten.fx', 'xnnpack'],
        ['fx/hlo_gemma3_1b_call.fx', 'xnnpack'],
    ];
    for (const [name, list] of theirs) {
        const model = path.join(MODELS, name);
        if (!fs.existsSync(model)) {
            skip(name, 'no ../shared/models');
            continue;
        }
        await drop(model);
        await choose(list);
        await compare(model, list);
    }
    await drop(
        write(
            'writes.fx',
            `graph():
    %x : [num_users=3] = placeholder[target=x]  # f32[4]
    %a : [num_users=1] = call_function[target=tflite.ABS](args = (%x,), kwargs = {})  # f32[4]
    %w : [num_users=0] = call_function[target=host.w](args = (%x,), kwargs = {})  # f32[4] mutates=0
    %b : [num_users=1] = call_function[target=tflite.ABS](args = (%x,), kwargs = {})  # f32[4]
    %c : [num_users=1] = call_function[target=tflite.MUL](args = (%a, %b), kwargs = {})  # f32[4]
    return c
`,
        ),
    );
    await choose('xnnpack');
    await compare(path.join(folder, 'writes.fx'), 'xnnpack');
    check('writes keep their order from the first picture on', (await text('status')).endsWith(', 3 subgraphs'));
    check('the page says nothing to the console', p.said.join('\n'), '');

    section('chosen files, downloads');
    const deeplab = path.join(OURS, ours[0][0]),
        stem = ours[0][0].slice(0, -3);
    await choose('xnnpack');
    const { root } = await p.call('DOM.getDocument');
    const { nodeId } = await p.call('DOM.querySelector', { nodeId: root.nodeId, selector: '#file' });
    await p.call('DOM.setFileInputFiles', { nodeId, files: [deeplab] });
    await report(cli(deeplab, ['--acc-ops', 'xnnpack']).out);
    if (process.env.PICTURE) {
        await p.click('#tabOverview');
        await p.until('tab === "Overview" && tasks.size === 0 && ' + SHOWN);
        await p.picture(process.env.PICTURE);
    }
    check(
        'text',
        (await download('text', stem + '.split.txt')).toString(),
        cli(deeplab, ['--acc-ops', 'xnnpack', '--porcelain']).out,
    );
    check(
        'report',
        (await download('report', stem + '.report.txt')).toString(),
        cli(deeplab, ['--acc-ops', 'xnnpack', '--all']).out,
    );
    cli(deeplab, [
        '--acc-ops',
        'xnnpack',
        '--save-plan',
        folder + '/cli.plan',
        '--emit',
        folder + '/subgraphs',
        '--html',
        folder + '/cli.html',
    ]);
    check('plan', (await download('plan', stem + '.plan')).toString(), fs.readFileSync(folder + '/cli.plan', 'utf8'));
    const zip = await download('subgraphs', stem + '.subgraphs.zip'),
        subgraphs = zip.length ? unzip(zip) : {};
    check(
        'subgraphs: as many',
        Object.keys(subgraphs).sort().join(),
        fs
            .readdirSync(folder + '/subgraphs')
            .sort()
            .join(),
    );
    Object.keys(subgraphs).forEach(f =>
        check('subgraphs: ' + f, subgraphs[f], fs.readFileSync(folder + '/subgraphs/' + f, 'utf8')),
    );
    check(
        'json: the data of the report',
        JSON.stringify(JSON.parse(await download('json', stem + '.json'))),
        JSON.stringify(
            JSON.parse(/id="data">\n([^]*?)\n<\/script>/.exec(fs.readFileSync(folder + '/cli.html', 'utf8'))[1]),
        ),
    );

    check(
        'html: the report of the command line',
        (await download('html', stem + '.html')).toString(),
        fs.readFileSync(folder + '/cli.html', 'utf8'),
    );
    check('dot', (await download('dot', stem + '.dot')).toString(), cli(deeplab, ['--acc-ops', 'xnnpack', '--dot', '-']).out);
    await download('svg', stem + '.svg');
    const drawn = await b.page('file://' + path.join(folder, stem + '.svg'));
    check(
        'svg: the picture by itself, with its colours',
        await drawn.run(
            'document.querySelectorAll(".item").length > 4 && getComputedStyle(document.querySelector(".item.k1 > rect, .item > rect.k1")).fill',
        ),
        'rgb(223, 245, 236)',
    );
    await drawn.close();

    section('options');
    const option = async (label, args, act) => {
        await act();
        check(label + ': the command', await settled(['--acc-ops', 'xnnpack', ...args, path.basename(deeplab)]));
        check(label, await report(cli(deeplab, ['--acc-ops', 'xnnpack', ...args]).out));
    };
    await option('a smallest size', ['--min-acc-module-size', '6'], () => type('min', '6'));
    await option('and back', [], () => type('min', '1'));
    await type('most', '2');
    check('a limit that is too low is told', await p.until('!$("banner").hidden'));
    check(
        'as the command line says it',
        await text('banner'),
        sentence(cli(deeplab, ['--acc-ops', 'xnnpack', '--max-acc-splits', '2']).err) + '.',
    );
    check(
        'and the picture before it stays',
        await p.run('items.length > 4 && document.body.classList.contains("stale")'),
    );
    await option('the smallest give way', ['--max-acc-splits', '2', '--limit-policy', 'demote'], () =>
        p.click('#demote'),
    );
    await p.click('#demote');
    await option('no limit', [], () => type('most', ''));
    await option('no fusion', ['--skip-fusion'], () => p.click('#fuse'));
    await option('non-tensors cross', ['--skip-fusion', '--allow-non-tensor'], () => p.click('#cross'));
    await option(
        'non-tensors move',
        ['--skip-fusion', '--allow-non-tensor', '--move-non-tensor-nodes-on-boundary'],
        () => p.click('#movers'),
    );
    for (const id of ['#fuse', '#cross', '#movers']) await p.click(id);
    await type('oncpu', 'add, add_1');
    check('pins', await report(cli(deeplab, ['--acc-ops', 'xnnpack', '--cpu-nodes', 'add,add_1']).out));
    await type('oncpu', 'no_such_node');
    check(
        'a pin that names nothing is told',
        await p.until('!$("banner").hidden && $("banner").textContent.includes("no_such_node")'),
    );
    check(
        'as the command line says it, too',
        await text('banner'),
        sentence(cli(deeplab, ['--acc-ops', 'xnnpack', '--cpu-nodes', 'no_such_node']).err) + '.',
    );
    await type('oncpu', '');
    await p.until(SHOWN);
    section('pins by click, undo and redo');
    const pins = (side, label, args) =>
        option(label, args, () => (side === 'undo' || side === 'redo' ? p.click('#' + side) : p.click('[data-pin=' + side + ']')));
    await p.run('showNode(nodes.findIndex(n => n[NAME] === "add")); 0');
    check('a node says that it is free', await p.run('document.querySelector("[data-pin=free]").ariaPressed'), 'true');
    await pins('oncpu', 'a click sends a node to the CPU', ['--cpu-nodes', 'add']);
    check('where it runs', await p.run('kindOf(nodes.findIndex(n => n[NAME] === "add"))'), 0);
    check('it stays chosen', await p.run('tab + " " + titleOf(chosen.node)'), 'Details add');
    check('and its button is pressed', await p.run('document.querySelector("[data-pin=oncpu]").ariaPressed'), 'true');
    check('and keeps the keyboard', await p.run('document.activeElement.dataset.pin || ""'), 'oncpu');
    await p.run('showNode(nodes.findIndex(n => n[NAME] === "arg_max")); 0');
    await pins('onacc', 'another to the accelerator', ['--acc-nodes', 'arg_max', '--cpu-nodes', 'add']);
    check('which takes it', await p.run('kindOf(nodes.findIndex(n => n[NAME] === "arg_max"))'), 1);
    await pins('free', 'and sets it free', ['--cpu-nodes', 'add']);
    await pins('undo', 'undo', ['--acc-nodes', 'arg_max', '--cpu-nodes', 'add']);
    await pins('undo', 'undo, twice', ['--cpu-nodes', 'add']);
    await pins('undo', 'undo to the beginning of it', []);
    await pins('redo', 'redo', ['--cpu-nodes', 'add']);
    // With Shift, too, and not in a field.
    const chord = async modifiers => {
        for (const kind of ['rawKeyDown', 'keyUp'])
            await p.call('Input.dispatchKeyEvent', { type: kind, key: 'z', code: 'KeyZ', windowsVirtualKeyCode: 90, modifiers });
    };
    await p.run('svg.focus(); 0');
    await option('Ctrl+Z', [], () => chord(2));
    await option('Ctrl+Shift+Z', ['--cpu-nodes', 'add'], () => chord(10));
    await option('Ctrl+Z again', [], () => chord(2));
    await p.run('$("fold").open = true; $("oncpu").focus(); 0');
    await chord(10);
    await option('a field keeps its own redo', [], async () => {});
    await type('oncpu', 'no_such_node');
    await p.until('!$("banner").hidden');
    await option('undo takes back what could not be split', [], () => p.click('#undo'));
    check('and the page is well again', await p.until(SHOWN));
    await type('oncpu', 'ad?_*');
    await p.until('pinOf("add_1")[0] === "oncpu" && tasks.size === 0 && ' + SHOWN);
    await p.run('showNode(nodes.findIndex(n => n[NAME] === "add_1")); 0');
    check(
        'a node that a pattern pins says so, and cannot be set free by itself',
        await p.run(
            'document.querySelector("[data-pin=free]").disabled && $("panel").textContent.includes("The pattern ad?_*")',
        ),
    );
    check('the pattern pins nothing else', await p.run('pinOf("add")[0] + pinOf("bad_1")[0]'), 'freefree');
    await option('a typed pin is undone', [], () => p.click('#undo'));
    await p.run('$("close").click(); openTab("Overview"); 0');

    section('a link that carries model and options');
    // What another browser shows that opens the link.
    const main = p;
    const follow = async (address, args, model, act) => {
        p = await b.page(address);
        const name = path.basename(model);
        const words = ['graphsplit', 'split', '--acc-ops', ...args, name].join(' ');
        check(name + ': a link sets all options', await p.until('tasks.size === 0 && $("command").textContent === ' + JSON.stringify(words)));
        if (act) await act();
        await p.until(SHOWN);
        check(name + ': the split of a link', await report(cli(model, ['--acc-ops', args[0].replace('@own', '@' + folder + '/own'), ...args.slice(1)]).out));
        check(name + ': a link says nothing to the console', p.said.join('\n'), '');
    };
    const close = async () => {
        await p.close();
        p = main;
    };
    const link = async () => {
        await p.run('$("linkSays").textContent = ""; $("fold").open = true; 0');
        await p.click('#link');
        await p.until('$("linkSays").textContent !== ""');
        return p.run('$("url").value');
    };
    await type('min', '3');
    await option('options for a link', ['--min-acc-module-size', '3', '--cpu-nodes', 'add'], () => type('oncpu', 'add'));
    await p.run('showNode(nodes.findIndex(n => n[NAME] === "arg_max")); 0');
    const short = await link();
    check('a link is copied', await text('linkSays'), 'Copied: ' + short.length.toLocaleString('en') + ' characters, with the example and all options.');
    check('one of the example is short', short.length < 600 && short.startsWith(url + '#link='));
    check('the button keeps the keyboard', await p.run('document.activeElement.id'), 'link');
    await follow(short, ['xnnpack', '--min-acc-module-size', '3', '--cpu-nodes', 'add'], deeplab);
    check('a link shows the node that was shown', await p.run('tab + " " + titleOf(chosen.node)'), 'Details arg_max');
    check('nothing is to be undone', await p.run('$("undo").disabled'));
    // In a page that is open already, too; and one that is damaged leaves it alone.
    const told = /^This link is damaged or was cut off, or it comes from another version of this page\.$/;
    for (const [label, bad] of [
        ['cut off', short.slice(0, -9)],
        ['changed', short.replace(/.(?=.{40}$)/, c => (c === 'x' ? 'y' : 'x'))],
        ['empty', url + '#link='],
        ['of another kind', url + '#link=%00*'],
    ]) {
        await p.run('$("banner").hidden = true; location.hash = ' + JSON.stringify(bad.slice(url.length)) + '; 0');
        check('a link that is ' + label + ': a sentence', (await p.until('!$("banner").hidden')) && told.test(await text('banner')));
    }
    check('the model stays', await p.run('nodes.length > 60 && $("min").value'), '3');
    await p.run('fillForm({ list: FIRST, operators: listOf(FIRST).text, min: "1", most: "", onacc: "", oncpu: "", demote: false, fuse: true, cross: false, movers: false }); split(false).then(() => 0)');
    await p.run('location.hash = ' + JSON.stringify(short.slice(url.length)) + '; 0');
    check('a link in an open page', await report(cli(deeplab, ['--acc-ops', 'xnnpack', '--min-acc-module-size', '3', '--cpu-nodes', 'add']).out));
    await close();
    p = await b.page(short.slice(0, -9));
    check('a damaged link in a new page: a sentence', (await p.until('!$("banner").hidden')) && told.test(await text('banner')));
    check('and the invitation', await p.run('document.body.classList.contains("empty") && $("example").offsetWidth > 0'));
    await close();
    await type('min', '1');
    await option('no options', [], () => type('oncpu', ''));
    const mnist = path.join(OURS, 'onnx_mnist.fx'),
        list = write('own.ops', 'onnx.Conv\nonnx.Relu\n');
    await drop([mnist, list]);
    await p.until('tasks.size === 0 && ' + SHOWN);
    const whole = await link();
    check('the model is in a link', (await text('linkSays')).endsWith(' characters, with the model and all options.'));
    await follow(whole, ['@own.ops'], mnist);
    check('an own list is in it', await p.run('$("list").value + $("operators").value'), '(your own)' + fs.readFileSync(list, 'utf8'));
    await close();
    // 6000 names of 32 random digits: more than a link carries.
    let seed = 1;
    const names = Array.from({ length: 6000 }, () => Array.from({ length: 4 }, () => ((seed = (seed * 48271) % 2147483647) % 65536).toString(16)).join('n'));
    const wide = write('wide.fx', 'graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n'
        + names.map((n, i) => '    %v' + n + ' : [num_users=1] = call_function[target=tflite.ADD](args = (%' + (i ? 'v' + names[i - 1] : 'x')
            + ',), kwargs = {})  # f32[8]\n').join('') + '    return v' + names[5999] + '\n');
    await choose('edgetpu');
    await drop(wide);
    await p.until(SHOWN);
    const long = await link();
    check('a large model stays behind', (await text('linkSays')).endsWith(' characters, with all options; the model is too large for a link, so send wide.fx along.'));
    check('and its link is short', long.length < 600);
    p = await b.page(long);
    check('its link says what to open', await p.until('$("banner").textContent === "The options of this link are set. Its model is too large for a link: open wide.fx here."'));
    await p.drop([wide]);
    check('and splits it with the options', await report(cli(wide, ['--acc-ops', 'edgetpu']).out));
    await close();
    await drop(deeplab);
    await choose('xnnpack');
    await report(cli(deeplab, ['--acc-ops', 'xnnpack']).out);

    section('two plans side by side');
    const plans = () => p.run('[...document.querySelectorAll("#plansTable tbody tr")].map(r => [...r.cells].map(c => c.textContent).join("|")).join("\\n")');
    check('there is no table before', await p.run('$("plans").offsetHeight'), 0);
    await p.click('#keepA');
    check('a plan is kept', await p.run('$("plans").offsetHeight > 100 && $("status").textContent.startsWith("Kept as A")'));
    await p.until('D.peaks && tasks.size === 0');
    check('which differs in nothing from itself', (await plans()).split('\n').filter(r => !r.endsWith('|same')).join(), 'Seconds|unknown|unknown|?');
    const kept = await plans();
    await option('another plan', ['--cpu-nodes', 'add'], () => type('oncpu', 'add'));
    await p.until('D.peaks && tasks.size === 0');
    // Figures of both from the command line.
    const figures = args => {
        const out = cli(deeplab, ['--acc-ops', 'xnnpack', ...args]).out,
            html = (cli(deeplab, ['--acc-ops', 'xnnpack', ...args, '--html', folder + '/plan.html']), fs.readFileSync(folder + '/plan.html', 'utf8')),
            data = JSON.parse(/id="data">\n([^]*?)\n<\/script>/.exec(html)[1]);
        return { cover: /callable nodes \(([^),]*)/.exec(out)[1], n: data.subgraphs.length, acc: data.shares.n_acc, values: data.shares.boundary, bytes: data.shares.boundary_bytes, peak: data.run.peak, macs: data.macs.of[1] };
    };
    const a = figures([]),
        bb = figures(['--cpu-nodes', 'add']),
        sign = (x, y, write) => (x === y ? 'same' : (y < x ? '\u2212' : '+') + write(Math.abs(y - x)));
    const written = await p.run('[' + [a.bytes, bb.bytes, Math.abs(bb.bytes - a.bytes)].map(x => 'bytes(' + x + ')') + ']');
    const rows2 = (await plans()).split('\n').map(r => r.split('|'));
    check('subgraphs of two plans', rows2[0].join('|'), ['Subgraphs', a.n, bb.n, sign(a.n, bb.n, String)].join('|'));
    check('and of accelerators', rows2[1].join('|'), ['On accelerators', a.acc, bb.acc, sign(a.acc, bb.acc, String)].join('|'));
    check('coverage', rows2[2].join('|'), ['Coverage', a.cover, bb.cover, '\u22121.4 points'].join('|'));
    check('values', rows2[3].join('|'), ['Values that cross', a.values, bb.values, sign(a.values, bb.values, String)].join('|'));
    check('bytes', rows2[4].join('|'), ['Bytes that cross', written[0], written[1], sign(a.bytes, bb.bytes, () => written[2])].join('|'));
    check('peaks', rows2[5].slice(0, 3).join('|'), await p.run('["Peak of the run", bytes(' + a.peak + ', Math.ceil), bytes(' + bb.peak + ', Math.ceil)].join("|")'));
    check('MACs', rows2[6].slice(0, 3).join('|'), await p.run('["MACs on acc.", scaled(' + a.macs + '), scaled(' + bb.macs + ')].join("|")'));
    check('A is as it was kept', rows2.map(r => r[1]).join(), kept.split('\n').map(r => r.split('|')[1]).join());
    check('what both were made with', await p.run('[...document.querySelectorAll("#plansTable thead small")].map(s => s.textContent).join("|")'), 'xnnpack|xnnpack --cpu-nodes add|');
    await p.click('#endPlans');
    check('a button ends it', await p.run('$("plans").offsetHeight === 0 && document.activeElement.id'), 'keepA');
    await option('without pins again', [], () => type('oncpu', ''));

    section('measured times and errors');
    const said2 = () => text('measuresSay');
    const give = async (name, content) => {
        await p.run('$("measuresSay").textContent = ""; $("banner").hidden = true; 0');
        await p.drop([write(name, content)]);
        await p.until('$("measuresSay").textContent !== "" || !$("banner").hidden');
    };
    const fillOf = name => p.run('getComputedStyle(view.querySelector("[data-i=\\"" + leafOf[nodes.findIndex(n => n[NAME] === "' + name + '")].id + "\\"] > rect")).fill');
    await give('times.csv', 'node,seconds\nadd,0.001\narg_max,0.1\nnobody,3\n"add_1",0\n');
    check('a CSV of times', await said2(), 'times.csv: 3 nodes painted, 1 name unknown in this model.');
    await p.run('subgraphBox.forEach(b => { b.open = true; }); draw(); 0');
    check('the slowest node is darkest', await fillOf('arg_max'), 'rgb(8, 48, 107)');
    check('a quick one is light', await fillOf('add'), 'rgb(239, 243, 251)');
    check('so is one of no time', await fillOf('add_1'), 'rgb(239, 243, 251)');
    check('what was not measured has the colour of where it runs', await p.run('view.querySelectorAll(".painted").length'), 3);
    check('the legend has steps of equal factors', await text('scale'), 'seconds\u2264 2.51 ms\u2264 6.31 ms\u2264 15.8 ms\u2264 39.8 ms\u2264 100 ms');
    check('a screen reader hears it', (await p.run('view.querySelector("[data-i=\\"" + leafOf[nodes.findIndex(n => n[NAME] === "arg_max")].id + "\\"]").getAttribute("aria-description")')), '100 ms');
    await p.run('showNode(nodes.findIndex(n => n[NAME] === "arg_max")); 0');
    check('details say it', (await text('panel')).includes('measured100 ms, 99.0 % of all nodes'));
    await option('with another option', ['--cpu-nodes', 'add'], () => type('oncpu', 'add'));
    check('it stays painted', await fillOf('arg_max'), 'rgb(8, 48, 107)');
    await option('and back from it', [], () => type('oncpu', ''));
    await give('both.csv', '\uFEFFNode;error;seconds\r\nadd;nan;0.002\r\narg_max;1e-3;\r\n');
    check('both in one, with other ends of lines and fields', await said2(), 'both.csv: 2 nodes painted.');
    await p.run('$("paint").value = "error"; $("paint").dispatchEvent(new Event("change")); 0');
    await p.run('subgraphBox.forEach(b => { b.open = true; }); draw(); 0');
    check('an error that is no number is worst', await fillOf('add'), 'rgb(8, 48, 107)');
    check('and the legend says so', (await text('scale')).endsWith('more, inf, nan'));
    await give('bare.csv', 'add,0.5\nadd_1,0.25\n');
    check('without a header', await said2(), 'bare.csv: 2 nodes painted.');
    for (const [content, sentence] of [
        ['node,seconds\nadd,fast\n', 'line 2 has \u201cfast\u201d for seconds.'],
        ['add,-1\n', 'line 1 has \u201c-1\u201d for seconds.'],
        ['name,time\nadd,1\n', 'its header names no column node, and seconds, cpu_seconds, acc_seconds or error.'],
        ['', 'it has no value of a node.'],
        ['node,seconds\n"add,1\n', 'line 2 has a quote that does not end its field.'],
    ]) {
        await give('bad.csv', content);
        check('a CSV that cannot be read: ' + sentence, await text('banner'), 'bad.csv cannot be read as measured values: ' + sentence);
    }
    check('the one before it stays', await p.run('view.querySelectorAll(".painted").length > 0'));
    await p.run('$("banner").hidden = true; $("fold").open = true; 0');
    await p.click('#forget');
    check('a button removes the paint', await p.run('view.querySelectorAll(".painted").length === 0 && !$("scale") && $("measures").offsetHeight === 0'));
    check('the page says nothing about it to the console', p.said.join('\n'), '');
    await p.run('$("close").click(); openTab("Overview"); 0');

    section('a plan from the page, to the program, and back');
    const drawnPlan = () => p.run('JSON.stringify([{ ...D.shares, upper: 0 }, D.subgraphs, nodes.map(n => [n[NAME], n[SUB]])])');
    await option('a pin for a plan', ['--cpu-nodes', 'add'], () => type('oncpu', 'add'));
    const asCut = await drawnPlan(),
        fromPage = (await download('plan', stem + '.plan')).toString(),
        planFile = write('page.plan', fromPage),
        replayed = path.join(folder, 'program.plan');
    check('the program reads a plan of the page', cli(deeplab, ['--plan', planFile, '--save-plan', replayed]).code, 0);
    check('and writes the same', fs.readFileSync(replayed, 'utf8'), fromPage);
    await option('no pin', [], () => type('oncpu', ''));
    const dropPlan = async name => {
        await p.drop([name]);
        return p.until('usesPlan() && tasks.size === 0 && ' + SHOWN);
    };
    check('the page reads the plan of the program', await dropPlan(replayed));
    check('with the subgraphs and figures of before', await drawnPlan(), asCut);
    check('the command of a plan', await text('command'), 'graphsplit split --plan program.plan ' + path.basename(deeplab));
    check('its report', await report(cli(deeplab, ['--plan', replayed]).out.replaceAll(replayed, 'program.plan')));
    check('and the page writes it again', (await download('plan', stem + '.plan')).toString(), fromPage);
    check('what a plan says cannot be pinned', await p.run('showNode(nodes.findIndex(n => n[NAME] === "add")); document.querySelector("[data-pin]") === null && $("pinFields").disabled'));
    const sentencePlan = cli(deeplab, ['--plan', replayed, '--why=add']).out.trim();
    check('and is explained', await p.until('$("says") && $("says").textContent === ' + JSON.stringify(sentencePlan)));
    const planLink = await link();
    p = await b.page(planLink);
    check('a link carries the plan', (await p.until('usesPlan() && tasks.size === 0 && ' + SHOWN)) && (await drawnPlan()), asCut);
    await close();
    await option('undo takes the plan away', [], () => p.click('#undo'));
    check('its note is gone', await p.run('$("plan").offsetHeight === 0 && !$("pinFields").disabled'));
    await p.run('redo(); 0');
    check('redo brings it back', await p.until('usesPlan() && tasks.size === 0 && ' + SHOWN));
    await dropPlan(write('swapped.plan', fromPage.replace('plan 1', 'plan 2')));
    check('a plan that cannot be read: a sentence', (await p.until('!$("banner").hidden')) && (await text('banner')),
        sentence(cli(deeplab, ['--plan', path.join(folder, 'swapped.plan')]).err.replaceAll(folder + '/', '')) + '.');
    await p.click('#undo');
    await p.until('tasks.size === 0 && ' + SHOWN);
    await p.run('$("fold").open = true; 0');
    await option('a button removes a plan', [], () => p.click('#removePlan'));
    check('and the keyboard is where plans are opened', await p.run('document.activeElement.id'), 'planFile');
    await p.run('$("close").click(); openTab("Overview"); 0');

    section('seconds of two plans');
    const secondsRow = async () => (await plans()).split('\n').find(r => r.startsWith('Seconds'));
    await p.click('#keepA');
    await p.until('D.peaks && tasks.size === 0');
    check('without times they are unknown', await secondsRow(), 'Seconds|unknown|unknown|?');
    // Times by which all that can run on the accelerator does, and the program says how long that takes.
    const called = await p.run('nodes.filter(isCall).map(n => n[NAME])'),
        costs = write('costs.csv', called.map((n, i) => n + ',' + (1 + i / 64) + ',' + (1 + i) / 4096).join('\n') + '\n');
    const timed = args => {
        const at = path.join(folder, 'timed.html');
        check('the program takes the costs', cli(deeplab, ['--acc-ops', 'xnnpack', ...args, '--minimise', 'time', '--costs', costs,
            '--launch', '0.5', '--bandwidth', '1e8', '--html', at]).code, 0);
        return JSON.parse(/id="data">\n([^]*?)\n<\/script>/.exec(fs.readFileSync(at, 'utf8'))[1]);
    };
    await give('costs.csv', fs.readFileSync(costs, 'utf8'));
    await p.run('$("fold").open = true; 0');
    await type('launch', '0.5');
    await type('bandwidth', '1e8');
    let asFree = '';
    for (const args of [[], ['--cpu-nodes', 'add']]) {
        await type('oncpu', args[1] || '');
        await p.until('formState() === current && D.peaks && tasks.size === 0');
        const of = timed(args);
        check('the program cuts the same', of.subgraphs.map(g => g.tag + g.nodes).join(), await p.run('D.subgraphs.map(g => g.tag + g.nodes).join()'));
        check('a run takes as long as the program says', await p.run('Math.abs(runTime(sidesNow()).sum / ' + of.worth.best + ' - 1) < 1e-6 && runTime(sidesNow()).unknown'), 0);
        check('which stands in the table', (await secondsRow()).split('|')[2], await p.run('seconds(' + of.worth.best + ')'));
        asFree = asFree || (await secondsRow()).split('|')[2];
        check('beside that of A, which was kept before times were known', (await secondsRow()).split('|')[1], asFree);
    }
    await option('no pins for times', [], () => type('oncpu', ''));
    await type('launch', '');
    await type('bandwidth', '');
    await give('some.csv', 'node,seconds\nadd,0.5\narg_max,2\n');
    await p.until('formState() === current && D.peaks && tasks.size === 0');
    check('of some times, a lower bound', (await secondsRow()).split('|')[2], '>= 2.5 s');
    await option('a node that was measured elsewhere', ['--cpu-nodes', 'add'], () => type('oncpu', 'add'));
    check('has no time on the other side', (await secondsRow()).split('|')[2], '>= 2 s');
    await option('no pins again', [], () => type('oncpu', ''));
    await p.run('forgetMeasures(); endPlans(); 0');

    section('graphs that nodes run');
    const flow = write('flow.fx', `module main
graph():
    %c : [num_users=1] = placeholder[target=c]  # b1[1]
    %x : [num_users=1] = placeholder[target=x]  # f32[1, 16]
    %if : [num_users=1] = call_function[target=tflite.IF](args = (%c, %x), kwargs = {})  # f32[1, 16] then=large else=small
    %abs : [num_users=1] = call_function[target=tflite.ABS](args = (%if,), kwargs = {})  # f32[1, 16]
    return abs
module large
graph():
    %ti : [num_users=1] = placeholder[target=ti]  # f32[1, 16]
    %sort : [num_users=1] = call_function[target=tflite.SORT](args = (%ti,), kwargs = {})  # f32[1, 16]
    %loop : [num_users=1] = call_function[target=tflite.WHILE](args = (%sort,), kwargs = {})  # f32[1, 16] body=step
    return loop
module small
graph():
    %ei : [num_users=1] = placeholder[target=ei]  # f32[1, 16]
    %id : [num_users=1] = call_function[target=tflite.ABS](args = (%ei,), kwargs = {})  # f32[1, 16]
    return id
module step
graph():
    %si : [num_users=1] = placeholder[target=si]  # f32[1, 16]
    %one : [num_users=1] = call_function[target=tflite.ABS](args = (%si,), kwargs = {})  # f32[1, 16]
    %two : [num_users=1] = call_function[target=tflite.SORT](args = (%one,), kwargs = {})  # f32[1, 16]
    return two
`);
    await drop(flow);
    const outside = async label => check(label, await report(cli(flow, ['--acc-ops', 'xnnpack']).out));
    await outside('a model with branches');
    check('its node says what it runs', (await p.run('drawnOf(leafOf[2]).textContent')).endsWith('large, small'));
    await p.run('drawnOf(leafOf[2]).focus(); 0');
    await p.key('Enter', 'Enter', '\r');
    check('the details have a button for each', await p.run('[...document.querySelectorAll("[data-enter]")].map(b => b.textContent).join()'), 'Open then: large,Open else: small');
    // With the keyboard alone.
    const enter = async name => {
        await p.run('document.querySelector("[data-enter=' + name + ']").focus(); 0');
        await p.key('Enter', 'Enter', '\r');
        return settled(['--acc-ops', 'xnnpack', '--graph', name, 'flow.fx']);
    };
    check('a key opens one', await enter('large'));
    check('with a split and figures of its own', await report(cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'large']).out));
    check('its nodes are shown', await p.run('nodes.map((n, v) => titleOf(v)).join()'), 'ti,sort,loop,output');
    check('the way to it is named, and has the keyboard', await p.run('$("place").innerText.replace(/\\s+/g, " ") + "|" + document.activeElement.textContent'), 'main large, which if runs|main');
    await p.run('showNode(2); 0');
    check('a graph in a graph', await enter('step'));
    check('has its split, too', await report(cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'step']).out));
    await p.run('showNode(1); 0');
    await p.click('[data-pin=oncpu]');
    check('a pin in it', await report(cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'step', '--cpu-nodes', 'one']).out));
    check('a plan of it', (await download('plan', 'flow.plan')).toString(),
        (cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'step', '--cpu-nodes', 'one', '--save-plan', path.join(folder, 'step.plan')]), fs.readFileSync(path.join(folder, 'step.plan'), 'utf8')));
    await p.run('[...document.querySelectorAll("[data-leave]")][1].focus(); 0');
    await p.key('Enter', 'Enter', '\r');
    check('a key goes back by one', await report(cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'large']).out));
    check('to the node that runs it', await p.until('chosen && titleOf(chosen.node) === "loop" && itemAt(document.activeElement) === leafOf[2]'));
    const inLarge = await link();
    p = await b.page(inLarge);
    check('a link shows the same graph', await report(cli(flow, ['--acc-ops', 'xnnpack', '--graph', 'large']).out));
    check('and says where it is', await p.run('$("place").offsetHeight > 0'));
    await close();
    await p.click('[data-leave="0"]');
    await outside('back in the main graph');
    check('without the way', await p.run('$("place").offsetHeight'), 0);
    await p.run('undo(); 0');
    check('undo goes into it again', await p.until('inside.length === 1 && tasks.size === 0 && nodes.length === 4'));
    check('the page says nothing of it to the console', p.said.join('\n'), '');
    await drop(deeplab);
    await choose('xnnpack');
    await report(cli(deeplab, ['--acc-ops', 'xnnpack']).out);
    check('another model is shown from outside', await p.run('inside.length === 0 && $("place").offsetHeight === 0'));

    section('lists of operators');
    const own = 'tflite.CONV_2D\ntflite.ADD qi8\n';
    await p.run('$("own").open = true; 0');
    await type('operators', own);
    check('an own list', await report(cli(deeplab, ['--acc-ops', '@' + write('own.ops', own)]).out));
    check('is called so', await p.run('$("list").value'), '(your own)');
    write('second.ops', 'tflite.DEPTHWISE_CONV_2D\n');
    await p.drop([folder + '/second.ops']);
    check('a dropped list', await report(cli(deeplab, ['--acc-ops', '@' + folder + '/second.ops']).out));
    await type('operators', 'tflite.CONV_2D qi8 and more\n');
    check(
        'a list that cannot be read is told, with its place',
        await p.until('$("banner").textContent.startsWith("operators:1:20: ")'),
    );
    await choose('xnnpack');
    check(
        'and a good one makes it well again',
        (await report(cli(deeplab, ['--acc-ops', 'xnnpack']).out)) && (await p.until(SHOWN)),
    );

    section('the picture');
    const box = name =>
        '(() => { const e = [...document.querySelectorAll(".item:not(.frame)")].find(e => e.querySelector("text").textContent.endsWith(' +
        JSON.stringify(name) +
        ')); const r = e.querySelector("rect").getBoundingClientRect(); return { x: r.x + r.width / 2, y: r.y + 12 }; })()';
    const press = async (at, type) =>
        p.call('Input.dispatchMouseEvent', {
            type,
            ...at,
            button: type === 'mouseMoved' ? 'none' : 'left',
            buttons: type === 'mouseMoved' ? 0 : 1,
            clickCount: 1,
        });
    const clickBox = async name => {
        const at = await p.run(box(name));
        for (const t of ['mouseMoved', 'mousePressed', 'mouseReleased']) await press(at, t);
    };
    check('subgraphs are closed boxes', await p.run('document.querySelectorAll(".item.closed").length'), 4);
    const tag = await p.run('D.subgraphs[2].tag');
    await p.call('Input.dispatchMouseEvent', { type: 'mouseMoved', ...(await p.run(box(tag))) });
    check(
        'hovering says what it is',
        (await p.run('$("tip").style.display === "block" ? $("tip").textContent : ""')).includes(tag),
    );
    await clickBox(tag);
    check('a click opens one', await p.run('document.querySelectorAll(".item.leaf").length > 3'));
    const inside = await p.run('nodes.find(n => n[SUB] === 2)[NAME]');
    await clickBox(inside);
    check(
        'and a click on a node shows it',
        await p.run('tab + " " + (chosen.node >= 0 && titleOf(chosen.node))'),
        'Details ' + inside,
    );
    const sentenceOf = name => cli(deeplab, ['--acc-ops', 'xnnpack', '--why=' + name]).out.trim();
    await p.run('$("find").value = ""; 0');
    await p.click('#find');
    await p.call('Input.insertText', { text: 'arg_max' });
    await p.key('Enter', 'Enter', '\r');
    check(
        'a search shows a node, and why it is there, in the words of the command line',
        await p.until('$("says") && $("says").textContent === ' + JSON.stringify(sentenceOf('arg_max'))),
    );
    const before = await p.run('JSON.stringify(at)');
    await p.run('svg.focus(); 0');
    await p.key('ArrowRight', 'ArrowRight');
    check('arrow keys move it', (await p.run('JSON.stringify(at)')) !== before);
    const k = await p.run('at.k');
    await p.call('Input.dispatchMouseEvent', { type: 'mouseWheel', x: 600, y: 450, deltaX: 0, deltaY: -300 });
    check('the wheel zooms', await p.until('at.k > ' + k + ' * 1.2'));
    const was = await p.run('at.x');
    await press({ x: 420, y: 840 }, 'mousePressed');
    await p.call('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 520, y: 800, button: 'left', buttons: 1 });
    await press({ x: 520, y: 800 }, 'mouseReleased');
    check('the mouse drags it', Math.round((await p.run('at.x')) - was), 100);
    await p.run('$("close").click(); view.querySelector(".item.closed").focus(); 0');
    await p.key('Enter', 'Enter', '\r');
    check('a key opens a box', await p.run('document.querySelectorAll(".item.leaf").length > 3'));
    check('and keeps it', await p.run('document.activeElement.classList.contains("item")'));
    await p.run('$("tabOverview").click(); $("tabOverview").focus(); 0');
    await p.key('ArrowRight', 'ArrowRight');
    check('arrow keys change tabs', await p.run('document.activeElement.id'), 'tabSubgraphs');
    check('other lists are compared', await p.until('PANELS.Overview().includes("On other accelerators")'));

    section('ONNX models');
    // The text that graphsplit-onnx --to-fx wrote for them, but for the types that it infers.
    const bare = text => text.replace(/  # .*/g, '').trim();
    for (const name of ['mnist', 'super_resolution', 'silero_vad_16k', 'ultraface_slim_320_simplified', 'yunet_n_320']) {
        const model = path.join(MODELS, 'onnx/' + name + '.onnx'),
            written = path.join(MODELS, 'fx/onnx_' + name + '.fx');
        if (!fs.existsSync(model)) {
            skip(name + '.onnx', 'no ../shared/models');
            continue;
        }
        await drop(model);
        await p.until(SHOWN);
        check(name + '.onnx: its graph', bare(await p.run('file.blob.text()')), bare(fs.readFileSync(written, 'utf8')));
        check(
            name + '.onnx: its command',
            /^graphsplit-onnx split --acc-ops \w+ \w+\.onnx$/.test(await text('command')),
        );
    }
    if (fs.existsSync(MODELS)) {
        const whole = fs.readFileSync(path.join(MODELS, 'onnx/mnist.onnx'));
        write('mnist.onnx', whole);
        const told = await p.run(
            '(async () => { const all = new Uint8Array(await (await new Response(new Blob([Uint8Array.from(atob("' +
                whole.subarray(0, 8000).toString('base64') +
                '"), c => c.charCodeAt(0))])).arrayBuffer())); let bad = ""; for (let n = 0; n < all.length; n += 7) ' +
                '{ try { onnxText(all.subarray(0, n)); bad += n + " "; } catch (e) { if (!e.message) bad += n; } } return bad; })()',
        );
        check('an ONNX model that is cut off is never read', told, '');
    }
    check('the page says nothing to the console', p.said.join('\n'), '');

    section('files that are none');
    const refuse = async (name, content, pattern) => {
        await drop(write(name, content));
        check(name + ': a sentence', pattern.test(await text('banner')) || (await text('banner')), true);
        check(
            name + ': the page lives',
            await p.run('document.body.classList.contains("empty") && $("example").offsetWidth > 0'),
        );
    };
    await refuse('empty.fx', '', /expected 'graph\(\):'.*\n.*graph\(\)/);
    await refuse('empty.tflite', '', /empty\.tflite: .{20}/);
    await refuse(
        'noise.fx',
        Buffer.from(Array.from({ length: 5000 }, (x, i) => (i * i * 7) % 256)),
        /noise\.fx:1:1: /,
    );
    await refuse('zeros.tflite', Buffer.alloc(4096), /zeros\.tflite: .{20}/);
    await refuse('model.onnx', Buffer.from([8, 7, 18, 4, 116, 101, 115, 116]), /ONNX model: it holds no graph.*graphsplit-onnx/);
    await refuse('model.pt', Buffer.from('PK\x03\x04 and so on'), /PyTorch/);
    await refuse('cut.fx', fs.readFileSync(deeplab).subarray(0, 9000), /cut\.fx:\d+:\d+: /);
    await refuse(
        'cut.tflite',
        Buffer.concat([Buffer.from([28, 0, 0, 0]), Buffer.from('TFL3'), Buffer.alloc(40, 255)]),
        /cut\.tflite: .*\n/,
    );
    await drop(folder); // a directory
    check('a folder: a sentence', /is a folder\. Drop a file/.test(await text('banner')));
    const evil = '</script><img src=x onerror="window.evil=1"><b>';
    await drop(
        write(
            '<img src=x onerror=evil=1>.fx',
            'graph():\n    %x : [num_users=1] = placeholder[target=x]  # f32[8]\n' +
                '    %a : [num_users=1] = call_function[target=' +
                evil +
                '](args = (%x,), kwargs = {})  # f32[8]\n    return a\n',
        ),
    );
    check('hostile names are shown', (await p.until(SHOWN)) && (await text('title')).startsWith('<img src=x'));
    for (const t of ['Overview', 'Subgraphs', 'Cuts', 'Operators', 'Why', 'Details', 'Text'])
        await p.click('#tab' + t);
    check('and stay text', await p.run('!window.evil && !document.querySelector("img, #panel b, #picture b")'));
    check(
        'a refused name is told as text',
        await p.run('complain("<img src=x onerror=evil=1>", true); !window.evil && !document.querySelector("img")'),
    );

    section('large files');
    const rows = ['graph():', '    %x : [num_users=1] = placeholder[target=x]  # f32[8]'];
    for (let i = 0; i < 10000; i++) {
        rows.push(
            '    %n' +
                i +
                ' : [num_users=1] = call_function[target=tflite.' +
                (Math.floor(i / 50) % 2 ? 'SORT' : 'ADD') +
                '](args = (%' +
                (i ? 'n' + (i - 1) : 'x') +
                ',), kwargs = {})  # f32[8]',
        );
    }
    let start = Date.now();
    await drop(write('ten_thousand.fx', rows.join('\n') + '\n    return n9999\n'));
    await p.until(SHOWN);
    let took = Date.now() - start;
    check('10 000 nodes in ' + took + ' ms', took < 5000);
    check(
        'as boxes of subgraphs',
        await p.run('D.nodes.length === 10002 && document.querySelectorAll(".item").length < 90'),
    );
    took = await p.run(
        '(() => { const t = performance.now(); reveal(leafOf[9000]); document.body.offsetHeight; return performance.now() - t; })()',
    );
    check('opening one takes ' + took.toFixed(0) + ' ms', took < 1000);
    took = await p.run(
        '(() => { const all = []; for (let i = 0; i < 20; i++) { const t = performance.now(); zoom(1.02, 500, 400); document.body.offsetHeight; all.push(performance.now() - t); } return Math.min(...all); })()',
    );
    check('zooming takes ' + took.toFixed(1) + ' ms', took < 50);
    check('it is brought near', await p.until('nearFile === file && tasks.size === 0', 60));
    // From the click to all figures and the picture. Other programs may hold the processor: then it is tried again.
    const clicks = [];
    for (let tries = 0; tries < 12 && !(Math.min(...clicks) <= 50); tries++) {
        clicks.push(
            ...(await p.run(
                '(async () => { const all = []; for (let i = 0; i < 12; i++) { const t = performance.now(); ' +
                    'await pin("n9010", i % 2 ? "free" : "oncpu"); document.body.offsetHeight; all.push(performance.now() - t); } return all; })()',
            )),
        );
    }
    clicks.sort((x, y) => x - y);
    console.log('a pin by click at 10 000 nodes: ' + clicks[0].toFixed(0) + ' ms, the median of ' + clicks.length + ': '
        + clicks[clicks.length >> 1].toFixed(0) + ' ms');
    check('a pin by click takes ' + clicks[0].toFixed(0) + ' ms', clicks[0] <= 50);
    const picture = () => p.run('view.innerHTML.replace(/ data-[iab]="\\d+"| lit(?=")/g, "")'),
        changed = await p.run('pin("n9010", "oncpu").then(() => 0)').then(picture);
    await p.run('LAYERS.forEach(l => { l.drawn = new Map(); l.layer.innerHTML = ""; }); draw(); 0');
    check('and what is drawn is what would be drawn anew', changed, await picture());
    const pinned = await p.run('JSON.stringify([D.shares, D.subgraphs, nodes.map(n => n.slice(SUB, INPUTS))])');
    check('the figures are all of the pin',
        await p.run('run(["--html", "data"]).then(got => { const d = JSON.parse(dataOf(got.files.data)); '
            + 'return JSON.stringify([d.shares, d.subgraphs, d.nodes.map(n => n.slice(SUB, INPUTS))]); })'), pinned);
    check('with figures of the pin', await p.run('pin("n9010", "oncpu").then(() => kindOf(nodes.findIndex(n => n[NAME] === "n9010")))'), 0);
    await p.run('pin("n9010", "free").then(() => 0)');
    const base = path.join(MODELS, 'tflite/person_detect.tflite');
    if (fs.existsSync(base)) {
        const big = write('big.tflite', fs.readFileSync(base));
        fs.truncateSync(big, 100e6);
        // The best of three: other programs may hold the processor.
        let gap = Infinity;
        for (let tries = 0; tries < 3 && !(took < 10000 && gap < 700); tries++) {
            await p.run(
                'window.gap = 0; clearInterval(window.beat); (() => { let last = performance.now(); window.beat = setInterval(() => { const now = performance.now(); gap = Math.max(gap, now - last); last = now; }, 10); })(); 0',
            );
            start = Date.now();
            await drop(big);
            await report(cli(big, ['--acc-ops', 'xnnpack']).out);
            took = Date.now() - start;
            gap = await p.run('gap');
        }
        check('100 MB', await report(cli(big, ['--acc-ops', 'xnnpack']).out));
        check(
            '100 MB in ' + took + ' ms, the page still for ' + gap.toFixed(0) + ' ms at most',
            took < 10000 && gap < 700,
        );
    } else skip('100 MB', 'no ../shared/models');
    await p.run('ask({ job: "run", lists: [], args: ["--", file.path] }).catch(() => {}); stop(); 0');
    await choose('edgetpu');
    const last = fs.existsSync(base) ? 'big.tflite' : 'ten_thousand.fx';
    check(
        'after Stop it goes on',
        (await settled(['--acc-ops', 'edgetpu', last])) &&
            (await p.until(SHOWN)) &&
            (await report(cli(path.join(folder, last), ['--acc-ops', 'edgetpu']).out)),
    );

    section('nothing leaves');
    check(
        'a page that tries is refused',
        await p.run('fetch("http://192.0.2.1/").then(() => "sent", e => "refused")'),
        'refused',
    );
    check(
        'and an image is, too',
        await p.run(
            'new Promise(r => { const i = new Image(); i.onload = () => r("sent"); i.onerror = () => r("refused"); i.src = "http://192.0.2.1/x.png"; })',
        ),
        'refused',
    );
    check(
        'a script that gets in does not run',
        await p.run(
            '(() => { const s = document.createElement("script"); s.textContent = "window.evil = 2"; document.body.append(s); return window.evil === undefined; })()',
        ),
    );
    check(
        'nothing was asked for but the page and its worker',
        p.asked.filter(a => !a.startsWith('blob:') && a !== url && !a.startsWith('http://192.0.2.1')).join(),
        '',
    );
    await p.close();

    section('other screens, other browsers');
    const counts = execFileSync(program, ['ops', '--porcelain'], { encoding: 'utf8' }).trim();
    p = await b.page(url, { dark: true, width: 390, height: 844 });
    check('dark', await p.run('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).every(c => c < 60)'));
    await p.click('#example');
    check('a phone', await p.until(SHOWN));
    check(
        'lists have as many operators as on the command line',
        await p.run('lists.map(l => "list " + l.name + " " + operatorsOf(l.text).length).join("\\n")'),
        counts,
    );
    check('the example has the name of its file', (await text('title')).startsWith(path.basename(deeplab)));
    check('nothing is wider than a phone', await p.run('document.documentElement.scrollWidth'), 390);
    await p.run('keepAsA(); 0');
    for (const t of ['Subgraphs', 'Cuts', 'Operators', 'Why', 'Text']) {
        await p.click('#tab' + t);
        check('nor is the table of two plans, with ' + t, await p.run('$("plansTable").getBoundingClientRect().right <= 378'));
        check('nor is ' + t, await p.run('document.documentElement.scrollWidth'), 390);
    }
    await p.drop([path.join(folder, 'flow.fx')]);
    await p.until('nodes.length === 5 && tasks.size === 0');
    await p.run('showNode(2); enter("if", "large").then(() => showNode(2)).then(() => enter("loop", "step")).then(() => takeMeasures("one,0.5,0.25\\n", "x.csv"))');
    check('nor is the way to a graph in a graph', await p.run('document.documentElement.scrollWidth + "|" + (inside.length === 2 && $("place").getBoundingClientRect().right <= 390)'), '390|true');
    check('which stands below the legend', await p.run('$("place").getBoundingClientRect().top >= $("legend").getBoundingClientRect().bottom'));
    await p.close();
    p = await b.page(url, { before: 'delete window.Worker' });
    await p.click('#example');
    check('without workers it runs in the page', await p.until(SHOWN));
    check('with the same result', await p.until('report.includes("callable nodes")', 10));
    check('no page said anything to the console', p.said.join('\n'), '');
    await p.close();

    section('accessibility');
    // What axe-core objects to in each tab.
    async function objections(address, begin) {
        const found = [];
        for (const screen of [{ width: 1400 }, { width: 390, dark: true }]) {
            p = await b.page(address, screen);
            await p.call('Page.setBypassCSP', { enabled: true });
            await p.run(fs.readFileSync(axe, 'utf8') + '; 0');
            await begin();
            for (const name of ['', ...(await p.run('[...$("tabs").children].map(t => t.dataset.tab)'))]) {
                if (name) await p.run('openTab(' + JSON.stringify(name) + '); 0');
                const told = await p.run(
                    'axe.run(document).then(r => r.violations.map(v => v.id + ": " + v.nodes[0].html.slice(0, 200)))',
                );
                found.push(...told.map(t => screen.width + ' ' + name + ' ' + t));
            }
            await p.close();
        }
        return found.join('\n');
    }
    if (fs.existsSync(axe)) {
        check('the report', await objections('file://' + folder + '/cli.html', async () => {}), '');
        check('the page before a model', await objections(url, async () => {}), '');
        check(
            'and with one',
            await objections(url, async () => {
                await p.click('#example');
                await p.until('!document.body.classList.contains("empty") && D.peaks && tasks.size === 0');
                await p.run('keepAsA(); takeMeasures("add,0.5\\narg_max,0.001\\n", "x.csv"); 0');
            }),
            '',
        );
        check(
            'and in a graph that a node runs',
            await objections(url, async () => {
                await p.drop([path.join(folder, 'flow.fx')]);
                await p.until('!document.body.classList.contains("empty") && D.peaks && tasks.size === 0');
                await p.run('showNode(2); enter("if", "large").then(() => showNode(2))');
                await p.run('keepAsA(); takeMeasures("sort,0.5,0.25\\n", "x.csv"); 0');
            }),
            '',
        );
        check(
            'and with a plan',
            await objections(url, async () => {
                await p.drop([deeplab, path.join(folder, 'page.plan')]);
                await p.until('D && usesPlan() && tasks.size === 0');
                await p.run('$("fold").open = true; 0');
            }),
            '',
        );
    } else skip('accessibility', 'axe-core cannot be fetched');
} catch (e) {
    check('the browser does what it is asked: ' + e.stack, false);
} finally {
    b.end();
}
done();
