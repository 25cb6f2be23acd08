// Runs a model and the chain of its parts in ONNX Runtime (wasm) on the same random inputs; all
// outputs have to be equal, bit for bit.
//     node tests/onnx/chain.mjs FOLDER_OF_NODE_MODULES JOBS
// JOBS has a line a chain: LABEL, MODEL.onnx and a folder with manifest.json (or another model)
// between tabs; a fourth field gives sizes of symbolic dimensions, "batch=2,n=512".
import { createRequire } from 'module';
import { readFileSync, existsSync } from 'fs';
import { join, dirname } from 'path';

const ort = createRequire(join(process.argv[2], 'x.js'))('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';

// No fusion across what may be a cut: the same kernels see the same bits.
const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'disabled' };

async function open(path) {
    const beside = path + '.data';
    const more = existsSync(beside)
        ? { externalData: [{ path: beside.slice(dirname(beside).length + 1), data: readFileSync(beside) }] }
        : {};
    const other = join(dirname(path), 'weights.bin');
    if (!more.externalData && existsSync(other)) {
        more.externalData = [{ path: 'weights.bin', data: readFileSync(other) }];
    }
    return ort.InferenceSession.create(readFileSync(path), { ...options, ...more });
}

// ---- random inputs ----

let state = 1;
function random() {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
}

function tensorOf(meta, sizes) {
    const dims = (meta.shape ?? []).map((d) => (typeof d === 'number' && d >= 0 ? d : sizes[d] ?? 1));
    const n = dims.reduce((a, b) => a * b, 1);
    const make = (Type, f) => new ort.Tensor(meta.type, Type.from({ length: n }, f), dims);
    switch (meta.type) {
        case 'float32': return make(Float32Array, () => random() * 2 - 1);
        case 'float64': return make(Float64Array, () => random() * 2 - 1);
        case 'int64': return make(BigInt64Array, () => BigInt(Math.floor(random() * 4)));
        case 'int32': return make(Int32Array, () => Math.floor(random() * 4));
        case 'uint8': return make(Uint8Array, () => Math.floor(random() * 256));
        case 'int8': return make(Int8Array, () => Math.floor(random() * 256) - 128);
        case 'bool': return make(Uint8Array, () => (random() < 0.5 ? 0 : 1));
        default: throw new Error(`no random ${meta.type}`);
    }
}

function inputsOf(session, sizes) {
    const inputs = {};
    state = 1;
    for (const meta of session.inputMetadata) {
        inputs[meta.name] = tensorOf(meta, sizes);
    }
    return inputs;
}

// ---- the chain ----

async function runPart(path, bind, values) {
    const session = await open(path);
    const feeds = {};
    for (const name of session.inputNames) {
        const from = bind[name] ?? name;
        if (!(from in values)) {
            throw new Error(`${path} reads ${from}, which nothing before it makes`);
        }
        feeds[name] = values[from];
    }
    const results = await session.run(feeds);
    for (const name of session.outputNames) {
        values[bind[name] ?? name] = results[name];
    }
    await session.release();
}

async function runChain(folder, inputs) {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json')));
    const values = { ...inputs };
    for (const part of manifest.pieces) {
        await runPart(join(folder, part.file), part.bind ?? {}, values);
    }
    return [values, manifest.outputs];
}

async function runModel(path, inputs) {
    const values = { ...inputs };
    await runPart(path, {}, values);
    return [values, null];
}

function bytes(t) {
    return t.type === 'string' ? Buffer.from(JSON.stringify(t.data))
        : Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength);
}

function differs(expected, got) {
    if (got === undefined) {
        return 'is not there';
    }
    if (expected.type !== got.type || String(expected.dims) !== String(got.dims)) {
        return `is ${got.type}[${got.dims}], not ${expected.type}[${expected.dims}]`;
    }
    return bytes(expected).equals(bytes(got)) ? '' : 'has other bits';
}

// ---- all jobs; the model itself runs once ----

const count = { passed: 0, failed: 0, skipped: 0 };
const originals = new Map();

function first(error) {
    return String(error?.message ?? error).split('\n')[0].replace(/^.*ERROR_MESSAGE: /, '')
        .replace(/^\/\S+ .*\) (?=[A-Z])/, '');
}

function sizesOf(text) {
    return Object.fromEntries((text ?? '').split(',').filter(Boolean).map((x) => x.split('='))
        .map(([k, v]) => [k, Number(v)]));
}

async function original(model, sizes) {
    if (!originals.has(model)) {
        originals.clear();
        try {
            const session = await open(model);
            const inputs = inputsOf(session, sizes);
            const outputs = await session.run(inputs);
            originals.set(model, { inputs, outputs: { ...outputs } });
            await session.release();
        } catch (error) {
            originals.set(model, { refused: first(error) });
        }
    }
    return originals.get(model);
}

async function check(label, model, made, sizes) {
    const whole = await original(model, sizesOf(sizes));
    if (whole.refused) {
        if (!whole.told) {
            console.log(`skipped: ${label.split(' ')[0]}: the engine refuses the model itself: ${whole.refused}`);
            whole.told = true;
        }
        count.skipped++;
        return;
    }
    let wrong;
    try {
        const [values, named] = made.endsWith('.onnx') ? await runModel(made, whole.inputs)
            : await runChain(made, whole.inputs);
        wrong = Object.keys(whole.outputs).map((name) => [name, differs(whole.outputs[name], values[name])])
            .filter(([, how]) => how).map(([name, how]) => `${name} ${how}`)[0];
        if (!wrong && named && String(named) !== String(Object.keys(whole.outputs))) {
            wrong = `the manifest lists the outputs ${named}`;
        }
    } catch (error) {
        wrong = first(error);
    }
    if (wrong) {
        console.log(`FAIL ${label}: ${wrong}`);
        count.failed++;
    } else {
        if (process.env.VERBOSE) {
            console.log(`ok ${label}`);
        }
        count.passed++;
    }
}

for (const line of readFileSync(process.argv[3], 'utf8').split('\n').filter(Boolean)) {
    await check(...line.split('\t'));
}
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
process.exit(count.failed ? 1 : 0);
