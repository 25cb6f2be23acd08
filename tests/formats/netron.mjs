// Opens files in Netron's own readers, as its window does, and prints what it sees of each:
//     FILE <tab> format <tab> graphs <tab> nodes with a known type <tab> nodes
// usage: node netron.mjs COPY FILE...      COPY: the folder of the Python package `netron`, as modules
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , folder, ...files] = process.argv;
const load = name => import(pathToFileURL(`${folder}/${name}.js`));
const view = await load('view');
const base = await load('base');
// What Netron's readers ask of the program around them.
const host = {
    require: id => load(id.replace(/^\.\//, '')),
    asset: async file => readFileSync(`${folder}/${file}`, 'utf8'),
    event() {},
    exception(error) { throw error; },
};
for (const file of files) {
    const bytes = readFileSync(file);
    const errors = [];
    const context = {
        identifier: basename(file),
        stream: new base.BinaryStream(bytes),
        entries: new Map(),
        ...host,
        fetch: async name => { throw new Error('there is no file ' + name); },
        error: error => errors.push(error.message),
    };
    const model = await new view.ModelFactoryService(host).open(context);
    const graphs = model.modules || model.graphs;
    const nodes = graphs.flatMap(g => g.nodes);
    const known = nodes.filter(n => n.type && n.type.name && !/^\?|undefined/.test(n.type.name));
    if (errors.length) throw new Error(file + ': ' + errors[0]);
    console.log([basename(file), model.format, graphs.length, known.length, nodes.length].join('\t'));
}
