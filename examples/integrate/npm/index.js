// graphsplit as WebAssembly, for browsers and node: see index.d.ts.
const url = new URL('./graphsplit.wasm', import.meta.url);
const bytes = url.protocol === 'file:'
    ? await (await import('node:fs/promises')).readFile(url)
    : await (await fetch(url)).arrayBuffer();
const program = await WebAssembly.compile(bytes);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

// An instance runs once.
export function run(args, files = {}) {
    const x = new WebAssembly.Instance(program, {}).exports;
    const room = data => {
        const at = x.room(Math.max(1, data.length));
        if (!at) throw new Error('no more memory');
        new Uint8Array(x.memory.buffer).set(data, at);
        return at;
    };
    for (const [path, data] of Object.entries(files)) {
        const content = typeof data === 'string' ? encoder.encode(data) : data;
        x.add(room(encoder.encode(path + '\0')), room(content), content.length);
    }
    const list = encoder.encode(args.map(arg => arg + '\0').join(''));
    let status;
    try {
        status = x.run(room(list), list.length);
    } catch (error) {
        status = x.status();   // of its own will, as when there is no more memory
        if (status < 0) throw error;
    }
    const results = [];
    for (let i = 0, at; (at = x.file(i)); i++) {
        const [path, data, size] = new Uint32Array(x.memory.buffer, at, 3);
        const all = new Uint8Array(x.memory.buffer);
        results.push([i < 2 ? '' : decoder.decode(all.subarray(path, all.indexOf(0, path))),
            decoder.decode(all.subarray(data, data + size))]);
    }
    const [[, out], [, err], ...others] = results;
    return { status, out, err, files: Object.fromEntries(others.filter(([path]) => !(path in files))) };
}

// { minAccModuleSize: 2, skipFusion: true } -> --min-acc-module-size 2 --skip-fusion
function optionsOf(options) {
    return Object.entries(options).flatMap(([key, value]) => {
        const name = '--' + key.replace(/[A-Z]/g, c => '-' + c.toLowerCase());
        if (value === false || value === undefined) return [];
        return value === true ? [name] : [value].flat().flatMap(v => [name, String(v)]);
    });
}

export function split(graph, options = {}) {
    const path = typeof graph === 'string' ? 'graph.fx' : 'model.tflite';
    const { status, out, err } = run(['--json', ...optionsOf(options), path], { [path]: graph });
    if (status !== 0) throw new Error(err.trim());
    return JSON.parse(out);
}
