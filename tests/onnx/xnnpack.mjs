// ONNX Runtime's own placement between its XNNPACK and CPU providers, beside what graphsplit makes of the same nodes.
//     node tests/onnx/xnnpack.mjs FOLDER_OF_NODE_MODULES PROGRAM SPLITTERS FOLDER MODEL...
// PROGRAM: graphsplit-onnx; SPLITTERS: bench/splitters.c, which has ONNX Runtime's grouping; FOLDER: for what is written.
// The models have a name per node, which graphsplit keeps. VERBOSE: also prints figures.
import { execFileSync } from 'child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'fs';
import { basename, join } from 'path';
import { firstDifference, firstLine, inputsOf, open, runChain, start } from './engine.mjs';

const [engine, program, splitters, folder, ...models] = process.argv.slice(2);
const say = (line) => process.stdout.write(line + '\n');

// The engine writes its log and its profile to the console.
let told = [];
console.log = console.error = console.warn = (...words) => told.push(words.join(' '));
start(engine, 'verbose');
const options = {
    executionProviders: ['xnnpack', 'wasm'],
    graphOptimizationLevel: 'disabled',
    logSeverityLevel: 0,
    enableProfiling: true,
};

// ---- what the engine says ----

// Where the last session placed nodes: { xnnpack, taken, joined, left }: how many are on XNNPACK, their names, how many of
// these are fused from two, and the names of those on the CPU. Of a model that one provider has whole, the log has no names.
function placements() {
    const found = { xnnpack: 0, taken: [], left: new Set() };
    let ours;
    for (const line of told) {
        const [, provider, number] = line.match(/placed on \[(\w+)\]\. Number of nodes: (\d+)/) ?? [];
        const [, name] = line.match(/VerifyEachNodeIsAssignedToAnEp\]   \S+ \((.*)\)$/) ?? [];
        if (provider) {
            ours = provider === 'XnnpackExecutionProvider';
            found.xnnpack += ours ? Number(number) : 0;
        } else if (name !== undefined && ours) {
            found.taken.push(name);
        } else if (name !== undefined) {
            found.left.add(name);
        }
    }
    found.joined = found.taken.filter((name) => name.startsWith('XnnpackExecutionProvider_')).length;
    return found;
}

// The nodes that XNNPACK asks for, by name; later, layouts change and nodes are fused, and lose their names. The engine places
// nodes and stops there where it has to save the model in its own format, which fails in a build without files.
async function asked(model) {
    told = [];
    try {
        const session = await open(model, { ...options, enableProfiling: false, optimizedModelFilePath: 'assigned.ort' });
        await session.release();
    } catch (error) {
        if (!told.some((line) => line.includes('Node placements'))) {
            throw error;
        }
    }
    return placements().taken;
}

// A run with random inputs, the values: { values, outputs, placed, runs }; runs: how often in the order of execution nodes of
// XNNPACK follow others. Transposes that change layouts are no nodes of the model, and do not count.
async function run(model, { inputs, nodes: names }) {
    told = [];
    const session = await open(model, options);
    const values = inputsOf(inputs.map((input, i) => ({ ...input, name: session.inputNames[i] })), {});
    const outputs = { ...await session.run(values) };
    session.endProfiling();
    await session.release();
    let runs = 0;
    let last;
    for (const line of told) {
        const [, name, provider] = line.match(/"name" :"(.*)_kernel_time".*"provider" : "(\w+)"/) ?? [];
        if (provider && (provider[0] === 'X' || names.has(name))) {
            runs += provider[0] === 'X' && last !== provider;
            last = provider;
        }
    }
    return { values, outputs, placed: placements(), runs };
}

// ---- what the program says ----

function graphsplit(...words) {
    return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 });
}

// { nodes: Map of name to { op, reads }, inputs }
function graphOf(model) {
    const nodes = new Map();
    const inputs = [];
    for (const line of graphsplit('--to-fx', model).split('\n')) {
        const [, name, kind, target, rest] = line.match(/^ *%(\w+) :.*? = (\w+)\[target=([^\]]*)\](.*)/) ?? [];
        if (kind === 'placeholder') {
            const shape = rest.match(/# f32\[([\d, ]*)\]/)[1].split(', ').map(Number);
            inputs.push({ type: 'float32', shape });
        } else if (kind === 'call_function') {
            const reads = rest.replace(/, kwargs = .*/, '').match(/%\w+/g) ?? [];
            nodes.set(name, { op: target, reads: reads.map((read) => read.slice(1)).filter((read) => nodes.has(read)) });
        }
    }
    return { nodes, inputs };
}

// The subgraphs of a split, [{ kind, nodes }]; with a folder, it has their models.
function split(model, ...words) {
    const text = graphsplit('split', '--porcelain', '--start', 'best', '--min-acc-module-size', '1', ...words, model);
    return [...text.matchAll(/^subgraph \S+ (\w+) (.*)$/gm)].map(([, kind, nodes]) => ({ kind, nodes: nodes.split(' ') }));
}

// How many groups ONNX Runtime makes of the nodes for a provider that compiles groups
function groupsOf(nodes, taken, scratch) {
    const number = new Map([...nodes.keys()].map((name, i) => [name, i]));
    const edges = [...nodes].flatMap(([name, { reads }]) => reads.map((read) => `${number.get(read)} ${number.get(name)}\n`));
    const kinds = [...nodes.keys()].map((name) => (taken.has(name) ? 1 : 0));
    writeFileSync(scratch + '.graph', `${nodes.size} ${edges.length}\n${kinds.join('\n')}\n${edges.join('')}`);
    execFileSync(splitters, ['ort', scratch + '.graph', scratch + '.part'], { stdio: 'ignore' });
    const parts = readFileSync(scratch + '.part', 'utf8').split('\n');
    return new Set(parts.filter((part, i) => kinds[i])).size;
}

// ---- all models ----

const count = { passed: 0, failed: 0 };
const total = { nodes: 0, taken: 0, fused: 0, listed: 0, subgraphs: 0, groups: 0, runs: 0 };

function verdict(label, wrong) {
    count[wrong ? 'failed' : 'passed']++;
    if (wrong) {
        say(`FAIL ${label}: ${wrong}`);
    }
}

const without = (these, those) => [...these].filter((name) => !those.has(name));

async function check(model) {
    const label = basename(model, '.onnx') + ' between XNNPACK and CPU';
    const graph = graphOf(model);
    const { nodes } = graph;
    const single = await asked(model);
    const whole = await run(model, graph);
    const { xnnpack, joined, left } = whole.placed;

    // A Relu or Clip that is gone is a part of the node of XNNPACK that it reads.
    const fused = [...nodes].filter(([name, { op, reads }]) =>
        /\.(Relu|Clip)$/.test(op) && !left.has(name) && single.includes(reads[0]));
    const taken = new Set([...single, ...fused.map(([name]) => name)]);
    const lost = without(nodes.keys(), new Set([...taken, ...left]))
        .filter((name) => !/getitem|Transpose/.test(nodes.get(name).op));
    verdict(`${label}: all nodes are found`,
        (!xnnpack || single.length !== xnnpack || joined !== fused.length || lost.length) &&
        `XNNPACK asks for ${single.length} nodes and gets ${xnnpack}; ${joined} fused, ${fused.length} gone; where is ${lost}?`);

    const scratch = join(folder, basename(model, '.onnx'));
    const listed = new Set(split(model, '--acc-ops', 'xnnpack').filter((s) => s.kind === 'acc').flatMap((s) => s.nodes));
    const missing = without(single, listed);
    verdict(`${label}: the list of operators has what it takes`, missing.length && `not ${missing}`);

    writeFileSync(scratch + '.nodes', [...taken].join('\n') + '\n');
    const ours = split(model, '--acc-nodes', '@' + scratch + '.nodes', '--emit', scratch);
    const ourNodes = new Set(ours.filter((s) => s.kind === 'acc').flatMap((s) => s.nodes));
    const subgraphs = ours.filter((s) => s.kind === 'acc').length;
    const groups = groupsOf(nodes, taken, scratch);
    const other = [...without(ourNodes, taken), ...without(taken, ourNodes)];
    verdict(`${label}: the same nodes`, other.length && `not so: ${other}`);
    verdict(`${label}: no more subgraphs`, (subgraphs > groups || subgraphs > whole.runs) &&
        `${subgraphs}, where the engine makes ${groups} groups and changes to XNNPACK ${whole.runs} times`);

    // Of every part alone, the engine places all nodes on XNNPACK, or none.
    let at = 0;
    let wrong;
    told = [];
    try {
        const [got] = await runChain(scratch, whole.values, options, () => {
            const { kind, nodes: here } = ours[at++];
            const placed = placements();
            const wanted = kind === 'acc' ? here.length : 0;
            if (placed.xnnpack + placed.joined !== wanted) {
                wrong ??= `of ${here}, it takes ${placed.xnnpack + placed.joined} nodes, not ${wanted}`;
            }
            told = [];
        });
        wrong ??= firstDifference(whole.outputs, got);
    } catch (error) {
        wrong = firstLine(error);
    }
    verdict(`${label}: its parts`, wrong);

    const sums = {
        nodes: nodes.size, taken: taken.size, fused: fused.length, listed: without(listed, taken).length,
        subgraphs, groups, runs: whole.runs,
    };
    Object.keys(sums).forEach((key) => { total[key] += sums[key]; });
    if (process.env.VERBOSE) {
        say(`${label}: ${JSON.stringify(sums)}`);
    }
}

mkdirSync(folder, { recursive: true });
for (const model of models) {
    try {
        await check(model);
    } catch (error) {
        verdict(basename(model), firstLine(error));
    }
}
if (process.env.VERBOSE) {
    say(JSON.stringify(total));
}
say(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed ? 1 : 0);
