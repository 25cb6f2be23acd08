// Perfetto's trace processor reads a trace and answers queries of whole numbers: a line per query, blanks between numbers.
//     node tests/formats/perfetto.mjs FOLDER TRACE SQL...
// FOLDER: Perfetto's page, with engine_bundle.js, which is a web worker, and trace_processor.wasm.
import { readFileSync } from 'fs';
import { join } from 'path';
import vm from 'vm';

const [folder, trace, ...queries] = process.argv.slice(2);

// Without the line of the worker, which is one of its few.
process.on('uncaughtException', (error) => {
    console.error(String(error?.message ?? error));
    process.exit(1);
});

// ---- messages of trace_processor.proto, in the encoding of protocol buffers ----

const STREAM = { msg: 1 };
const RPC = { seq: 1, invalid: 4, fatal: 5, request: 2, data: 101, query: 103, result: 203 };
const METHOD = { append: 1, finish: 2, query: 3 };
const QUERY = { sql: 1 };
const RESULT = { error: 2, batch: 3 };
const BATCH = { numbers: 2 };

function varint(value) {
    return value < 128 ? [value] : [value % 128 + 128, ...varint(Math.floor(value / 128))];
}

function field(number, value) {
    return typeof value === 'number' ? Buffer.from([...varint(number * 8), ...varint(value)])
        : Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(value.length)]), value]);
}

// All numbers that bytes hold one after the other
function numbersOf(bytes) {
    const numbers = [];
    let scale = 1;
    let value = 0;
    for (const byte of bytes) {
        value += (byte & 127) * scale;
        scale *= 128;
        if (byte < 128) {
            numbers.push(value);
            [scale, value] = [1, 0];
        }
    }
    return numbers;
}

// What a message has under a number: bytes, or a whole number
function get(bytes, wanted) {
    const found = [];
    let at = 0;
    const next = () => {
        const from = at;
        while (bytes[at++] > 127);
        return numbersOf(bytes.subarray(from, at))[0];
    };
    while (at < bytes.length) {
        const key = next();
        const size = { 1: 8, 2: 0, 5: 4 }[key % 8];
        let value;
        if (size === undefined) {
            value = next();
        } else {
            const length = size || next();
            value = bytes.subarray(at, at + length);
            at += length;
        }
        if (Math.floor(key / 8) === wanted) {
            found.push(value);
        }
    }
    return found;
}

// ---- the worker ----

class FileRequest {
    open(method, name) {
        this.name = name;
    }

    send() {
        this.response = Uint8Array.from(readFileSync(join(folder, this.name))).buffer;
    }
}

const worker = vm.createContext({
    WorkerGlobalScope: Object,
    XMLHttpRequest: FileRequest,
    location: { href: 'file:///' },
    console: { log() {}, warn() {}, error() {} },
    URL, TextDecoder, performance, setTimeout,
});
worker.self = worker;
vm.runInContext(readFileSync(join(folder, 'engine_bundle.js'), 'utf8'), worker);
const WorkerBytes = vm.runInContext('Uint8Array', worker);

let replies = [];
const port = { postMessage: (bytes) => replies.push(...get(bytes, STREAM.msg)) };
worker.onmessage({ data: port });

let sent = 0;
function send(method, argument = Buffer.alloc(0)) {
    const message = Buffer.concat([field(RPC.seq, sent), field(RPC.request, method), argument]);
    replies = [];
    port.onmessage({ data: WorkerBytes.from(field(STREAM.msg, message)) });
    sent++;
    for (const reply of replies) {
        const wrong = [...get(reply, RPC.invalid), ...get(reply, RPC.fatal)];
        if (wrong.length) {
            throw new Error(`the trace processor: ${Buffer.from(wrong[0])}`);
        }
    }
}

// Its last step of loading waits.
await new Promise((resolve) => { setTimeout(resolve); });
send(METHOD.append, field(RPC.data, readFileSync(trace)));
send(METHOD.finish);
for (const query of queries) {
    send(METHOD.query, field(RPC.query, field(QUERY.sql, Buffer.from(query))));
    const results = replies.flatMap((reply) => get(reply, RPC.result));
    for (const error of results.flatMap((result) => get(result, RESULT.error))) {
        throw new Error(Buffer.from(error).toString());
    }
    const batches = results.flatMap((result) => get(result, RESULT.batch));
    console.log(batches.flatMap((batch) => get(batch, BATCH.numbers)).flatMap(numbersOf).join(' '));
}
