// ONNX Runtime (wasm) for tests: sessions, random inputs, chains of parts, and what differs.
import { createRequire } from 'module';
import { readFileSync, existsSync } from 'fs';
import { join, dirname } from 'path';

let ort;

// start FOLDER_OF_NODE_MODULES LOG_LEVEL
export function start(folder, logLevel) {
    ort = createRequire(join(folder, 'x.js'))('onnxruntime-web');
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = logLevel;
}

export async function open(path, options) {
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

// inputsOf [{ name, type, shape }] SIZES_OF_SYMBOLS
export function inputsOf(metadata, sizes) {
    const inputs = {};
    state = 1;
    for (const meta of metadata) {
        inputs[meta.name] = tensorOf(meta, sizes);
    }
    return inputs;
}

// ---- the chain ----

export async function runPart(path, bind, values, options) {
    const session = await open(path, options);
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

// runChain FOLDER INPUTS OPTIONS AFTER: AFTER sees every part that has run
export async function runChain(folder, inputs, options, after = () => {}) {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json')));
    const values = { ...inputs };
    for (const part of manifest.pieces) {
        await runPart(join(folder, part.file), part.bind ?? {}, values, options);
        after(part);
    }
    return [values, manifest.outputs];
}

function bytes(t) {
    return t.type === 'string' ? Buffer.from(JSON.stringify(t.data))
        : Buffer.from(t.data.buffer, t.data.byteOffset, t.data.byteLength);
}

export function differs(expected, got) {
    if (got === undefined) {
        return 'is not there';
    }
    if (expected.type !== got.type || String(expected.dims) !== String(got.dims)) {
        return `is ${got.type}[${got.dims}], not ${expected.type}[${expected.dims}]`;
    }
    return bytes(expected).equals(bytes(got)) ? '' : 'has other bits';
}

// What is wrong with VALUES, in words; undefined: nothing
export function firstDifference(expected, values) {
    return Object.keys(expected).map((name) => [name, differs(expected[name], values[name])])
        .filter(([, how]) => how).map(([name, how]) => `${name} ${how}`)[0];
}

export function firstLine(error) {
    return String(error?.message ?? error).split('\n')[0].replace(/^.*ERROR_MESSAGE: /, '')
        .replace(/^\/\S+ .*\) (?=[A-Z])/, '');
}
