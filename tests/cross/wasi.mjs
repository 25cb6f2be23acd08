// Runs a WebAssembly program under node with the whole file system: node tests/cross/wasi.mjs PROGRAM ARGUMENT...
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
import process from 'node:process';

const wasi = new WASI({
    version: 'preview1',
    args: process.argv.slice(2),
    env: {},
    preopens: { '/': '/', '.': process.cwd() },
    returnOnExit: true,
});
const module = await WebAssembly.compile(readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
