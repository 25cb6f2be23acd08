// Runs a model and the chain of its parts in ONNX Runtime (wasm) on the same random inputs; all
// outputs have to be equal, bit for bit.
//     node tests/onnx/chain.mjs FOLDER_OF_NODE_MODULES JOBS
// JOBS has a line a chain: LABEL, MODEL.onnx and a folder with manifest.json (or another model)
// between tabs; a fourth field gives sizes of symbolic dimensions, "batch=2,n=512".
import { readFileSync } from 'fs';
import { firstDifference, firstLine, inputsOf, open, runChain, runPart, start } from './engine.mjs';

start(process.argv[2], 'fatal');

// No fusion across what may be a cut: the same kernels see the same bits.
const options = { executionProviders: ['wasm'], graphOptimizationLevel: 'disabled' };

async function runModel(path, inputs) {
    const values = { ...inputs };
    await runPart(path, {}, values, options);
    return [values, null];
}

// ---- all jobs; the model itself runs once ----

const count = { passed: 0, failed: 0, skipped: 0 };
const originals = new Map();

function sizesOf(text) {
    return Object.fromEntries((text ?? '').split(',').filter(Boolean).map((x) => x.split('='))
        .map(([k, v]) => [k, Number(v)]));
}

async function original(model, sizes) {
    if (!originals.has(model)) {
        originals.clear();
        try {
            const session = await open(model, options);
            const inputs = inputsOf(session.inputMetadata, sizes);
            const outputs = await session.run(inputs);
            originals.set(model, { inputs, outputs: { ...outputs } });
            await session.release();
        } catch (error) {
            originals.set(model, { refused: firstLine(error) });
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
            : await runChain(made, whole.inputs, options);
        wrong = firstDifference(whole.outputs, values);
        if (!wrong && named && String(named) !== String(Object.keys(whole.outputs))) {
            wrong = `the manifest lists the outputs ${named}`;
        }
    } catch (error) {
        wrong = firstLine(error);
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
