// ---- ONNX: the graph of a model as graph text, as `graphsplit-onnx --to-fx` writes it ----
// Shapes are those of the file; the command line infers the others.

// The fields of a protobuf message by number, each a list: bytes, or of a number a BigInt.
function fieldsOf(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), out = [];
    let at = 0;
    const broken = () => new Error('it is cut off, or it is no ONNX model');
    const varint = () => {
        let x = 0n;
        for (let shift = 0n; ; shift += 7n) {
            if (at >= bytes.length || shift > 63n) throw broken();
            const b = bytes[at++];
            x |= BigInt(b & 127) << shift;
            if (b < 128) return BigInt.asIntN(64, x);
        }
    };
    while (at < bytes.length) {
        const key = Number(varint()), kind = key & 7;
        let value;
        if (kind === 0) value = varint();
        else {
            const size = kind === 2 ? Number(varint()) : kind === 1 ? 8 : kind === 5 ? 4 : -1;
            if (size < 0 || at + size > bytes.length) throw broken();
            value = kind === 5 ? view.getFloat32(at, true) : bytes.subarray(at, at + size);
            at += size;
        }
        (out[key >>> 3] = out[key >>> 3] || []).push(value);
    }
    return out;
}
const utf8 = new TextDecoder();
const all = (message, field) => message[field] || [];
const last = (message, field) => all(message, field)[all(message, field).length - 1];
const messages = (message, field) => all(message, field).map(fieldsOf);
const string = (message, field) => utf8.decode(last(message, field) || new Uint8Array());
const strings = (message, field) => all(message, field).map(b => utf8.decode(b));
const number64 = (message, field) => Number(last(message, field) || 0n);
// Repeated numbers are one by one, or packed into bytes.
function integers(message, field) {
    return all(message, field).flatMap(x => {
        if (typeof x === 'bigint') return [x];
        const out = [];
        for (let i = 0, shift = 0n, n = 0n; i < x.length; i++, shift += 7n) {
            n |= BigInt(x[i] & 127) << shift;
            if (x[i] < 128) { out.push(BigInt.asIntN(64, n)); n = 0n; shift = -7n; }
        }
        return out;
    });
}
function floats(message, field) {
    return all(message, field).flatMap(x => typeof x === 'number' ? [x]
        : Array.from({ length: x.length >> 2 }, (_, i) => new DataView(x.buffer, x.byteOffset).getFloat32(4 * i, true)));
}

// ---- names and values as text ----

const RESERVED = new Set(('None True False inf nan Ellipsis cpu cuda slice return module int float bool str tuple list '
    + 'dict torch graph').split(' '));
const cleanName = s => {
    const out = [...s].map(c => /\w/.test(c) ? c : '_').join('') || '_';
    return /^\d/.test(out) ? '_' + out : out;
};
const cleanPath = s => [...s].map(c => /[/:]/.test(c) ? '.' : /[\w.]/.test(c) ? c : '_').join('')
    .replace(/\.+/g, '.').replace(/^\.|\.$/g, '') || '_';
function uniqueNames() {
    const taken = new Set(), next = new Map();
    return s => {
        const want = cleanName(s);
        if (!RESERVED.has(want) && !taken.has(want)) { taken.add(want); return want; }
        const [, base, digits] = /^(.+)_(\d{1,9})$/.exec(want) || [0, want, '0'];
        let k = Math.max(+digits, next.get(base) || 0);
        do k++; while (taken.has(base + '_' + k));
        next.set(base, k);
        taken.add(base + '_' + k);
        return base + '_' + k;
    };
}
function uniquePaths() {
    const used = new Map();
    return s => {
        const path = cleanPath(s);
        if (!used.has(path)) { used.set(path, 0); return path; }
        let k = used.get(path) + 1;
        while (used.has(path + '_' + k)) k++;
        used.set(path, k).set(path + '_' + k, 0);
        return path + '_' + k;
    };
}
const ofString = s => /^[A-Za-z_][\w.]*$/.test(s) && !RESERVED.has(s) ? s : "'" + s.replace(/[^ -~]|['\\]/g, '_') + "'";
// The shortest decimal that reads back, as Python writes it.
function ofFloat(x) {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x < 0 ? '-inf' : 'inf';
    const [mantissa, exponent] = x.toExponential().split('e');
    if (exponent >= -4 && exponent < 16) {
        return (Object.is(x, -0) ? '-' : '') + x.toFixed(Math.max(mantissa.replace(/^-?\d\.?/, '').length - exponent, 1));
    }
    return mantissa + 'e' + exponent[0] + exponent.slice(1).padStart(2, '0');
}
const DTYPES = [, 'f32', 'u8', 'i8', 'u16', 'i16', 'i32', 'i64', , 'b1', 'f16', 'f64', 'u32', 'u64', 'c64', 'c128', 'bf16',
    'f8', 'f8', 'f8', 'f8', 'u4', 'i4'];
const ofTensor = (dtype, dims) => DTYPES[dtype] ? DTYPES[dtype] + '[' + dims.join(', ') + ']' : '';
function ofDim(dim, i) {
    if (dim[1]) return last(dim, 1) >= 0n ? String(last(dim, 1)) : 's' + i;
    const name = string(dim, 2) ? cleanPath(string(dim, 2)).replace(/\./g, '_') : 's' + i;
    return /^\d/.test(name) ? 's_' + name : name;
}
function ofType(info) {
    const type = fieldsOf(last(info, 2) || new Uint8Array()), tensor = type[1] && fieldsOf(last(type, 1));
    return tensor && tensor[2] ? ofTensor(number64(tensor, 1), messages(fieldsOf(last(tensor, 2)), 1).map(ofDim)) : '';
}
// What text can express; tensors, graphs and types stay in the model.
function ofAttribute(a) {
    const list = values => '[' + values.join(', ') + ']';
    return {
        1: () => ofFloat(last(a, 2) || 0), 2: () => String(last(a, 3) || 0n), 3: () => ofString(string(a, 4)),
        6: () => list(floats(a, 7).map(ofFloat)), 7: () => list(integers(a, 8)),
        8: () => list(strings(a, 9).map(ofString)),
    }[number64(a, 20)];
}

// ---- the graph ----

const isStandard = n => ['', 'ai.onnx'].includes(string(n, 7));
const constantOf = t => ofTensor(number64(t, 2), integers(t, 1).map((d, i) => d >= 0n ? d : 's' + i));
// The integers of a small tensor, or null.
function shapeOf(tensor) {
    if (tensor[7]) return integers(tensor, 7);
    const raw = number64(tensor, 2) === 7 && last(tensor, 9);
    return raw ? Array.from({ length: raw.length >> 3 }, (_, i) =>
        new DataView(raw.buffer, raw.byteOffset).getBigInt64(8 * i, true)) : null;
}
// Types of constants by name, and which node makes them.
function constantsOf(graph, nodes) {
    const out = new Map();
    messages(graph, 5).forEach(t => out.set(string(t, 8), { type: constantOf(t), tensor: t }));
    messages(graph, 15).forEach(s => {
        const values = fieldsOf(last(s, 1));
        out.set(string(values, 8), { type: ofTensor(number64(values, 2), integers(s, 3)) });
    });
    nodes.forEach((n, node) => {
        const [output, ...more] = strings(n, 2), a = n[5] && fieldsOf(n[5][0]), tensor = a && a[5] && fieldsOf(last(a, 5));
        if (!output || more.length || !isStandard(n)) return;
        if (string(n, 4) === 'Constant' && tensor && string(a, 1) === 'value') {
            out.set(output, { type: constantOf(tensor), tensor, node });
        } else if (string(n, 4) === 'ConstantOfShape' && all(n, 1).length === 1) {
            const from = out.get(string(n, 1)), shape = from && from.tensor && shapeOf(from.tensor);
            if (shape && shape.every(d => d >= 0n)) {
                out.set(output, { type: ofTensor(tensor ? number64(tensor, 2) : 1, shape), node });
            }
        }
    });
    return out;
}
const bodiesOf = n => messages(n, 5).flatMap(a => a[6] ? [fieldsOf(last(a, 6))] : messages(a, 11));
// What a body reads of the graphs around it.
function captured(body) {
    const nodes = messages(body, 1), inner = new Set([...messages(body, 11).map(v => string(v, 1)),
        ...messages(body, 5).map(t => string(t, 8)), ...nodes.flatMap(n => strings(n, 2))]);
    return [...nodes.flatMap(n => [...strings(n, 1), ...bodiesOf(n).flatMap(captured)]),
        ...messages(body, 12).map(v => string(v, 1))].filter(name => name && !inner.has(name));
}
// Operators in the order of the file; those that have to wait stand in the next round.
function inOrder(nodes) {
    const maker = new Map(nodes.flatMap((n, i) => strings(n, 2).filter(o => o).map(o => [o, i])));
    const readers = nodes.map(() => []), waits = nodes.map(() => 0), round = nodes.map(() => 0);
    nodes.forEach((n, i) => [...strings(n, 1), ...bodiesOf(n).flatMap(captured)].forEach(value => {
        if (maker.has(value)) { readers[maker.get(value)].push(i); waits[i]++; }
    }));
    const ready = nodes.map((n, i) => i).filter(i => !waits[i]);
    for (const i of ready) {
        readers[i].forEach(r => {
            round[r] = Math.max(round[r], round[i] + (r < i ? 1 : 0));
            if (!--waits[r]) ready.push(r);
        });
    }
    const stuck = waits.findIndex(w => w);
    if (stuck >= 0) throw new Error('operator ' + string(nodes[stuck], 4) + ' waits for its own output');
    return ready.sort((a, b) => round[a] - round[b] || a - b);
}
function onnxText(bytes) {
    const model = fieldsOf(bytes), lines = [], users = [], made = new Map(), name = uniqueNames(), path = uniquePaths();
    if (!model[7]) throw new Error('it holds no graph');
    const graph = fieldsOf(last(model, 7)), nodes = messages(graph, 1), constants = constantsOf(graph, nodes);
    const types = new Map([13, 11, 12].flatMap(f => messages(graph, f).map(v => [string(v, 1), ofType(v)])));
    const typeOf = value => types.get(value) || '';
    const add = (want, op, type) => {
        lines.push([name(want), op, type ? '  # ' + type : '']);
        return lines.length - 1;
    };
    const read = (value, reader) => {
        if (!made.has(value)) {
            if (!constants.has(value)) throw new Error(reader + ' reads \u201c' + value + '\u201d, which nothing makes');
            made.set(value, add(value, 'get_attr[target=' + path(value) + ']', constants.get(value).type));
        }
        const v = made.get(value);
        (users[v] = users[v] || new Set()).add(reader);
        return v;
    };
    const call = (target, args, kwargs) => 'call_function[target=' + target + '](args = (' + args.join(', ')
        + (args.length === 1 ? ',' : '') + '), kwargs = {' + kwargs.join(', ') + '})';
    const operator = (n, index) => {
        const type = string(n, 4), reader = 'operator ' + type + ' #' + index, outputs = strings(n, 2).filter(o => o);
        const known = value => made.has(value) || constants.has(value);
        const inputs = [...strings(n, 1), ...new Set(bodiesOf(n).flatMap(captured).filter(known))];
        while (inputs.length && !inputs[inputs.length - 1]) inputs.pop();
        const args = inputs.map(i => i ? '%' + lines[read(i, reader)][0] : 'None'), kwargs = new Map();
        messages(n, 5).forEach(a => {
            const spell = ofAttribute(a);
            if (spell) kwargs.set(cleanName(string(a, 1)), spell());
        });
        const target = 'onnx.' + (isStandard(n) ? '' : cleanPath(string(n, 7)) + '.') + cleanName(type);
        const of = outputs.map(typeOf);
        const v = add(string(n, 3) || type.replace(/[A-Z]/g, c => c.toLowerCase()),
            call(target, args, [...kwargs].map(([k, value]) => k + ': ' + value)),
            outputs.length > 1 ? 'tuple(' + of.map(t => t || 'f32[s0]').join(', ') + ')' : of[0]);
        if (outputs.length === 1) made.set(outputs[0], v);
        else outputs.forEach((o, i) => {
            (users[v] = users[v] || new Set()).add(o);
            made.set(o, add('getitem', call('operator.getitem', ['%' + lines[v][0], i], []), typeOf(o)));
        });
    };
    messages(graph, 11).map(v => string(v, 1)).filter(v => !constants.has(v)).forEach(v => {
        const at = add(v, '', typeOf(v));
        lines[at][1] = 'placeholder[target=' + lines[at][0] + ']';
        made.set(v, at);
    });
    inOrder(nodes).forEach(i => {
        if ((constants.get(string(nodes[i], 2)) || {}).node !== i) operator(nodes[i], i);
    });
    const results = messages(graph, 12).map(o => lines[read(string(o, 1), 'the list of outputs')][0]);
    return 'graph():\n' + lines.map(([n, op, type], v) => '    %' + n + ' : [num_users=' + (users[v] || new Set()).size + '] = '
        + op + type + '\n').join('') + '    return ' + (results.length === 1 ? results[0] : '(' + results.join(', ') + ')') + '\n';
}
