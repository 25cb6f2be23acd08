// Called by site.sh: the folder of the site, a folder for files, the browser or '', axe-core.
import fs from 'node:fs';
import path from 'node:path';
import { launch } from './chromium.mjs';

const [site, folder] = process.argv.slice(2, 4).map(p => path.resolve(p)),
    browser = process.argv[4],
    axe = process.argv[5],
    PICTURES = process.env.PICTURES;
let passed = 0,
    failed = 0,
    skipped = 0;

function check(label, is, should) {
    if (is === should) passed++;
    else {
        failed++;
        console.log('FAILED: ' + label + '\n  is     ' + String(is).slice(0, 900) + '\n  should ' + String(should));
    }
}
function skip(label, why) {
    skipped++;
    console.log('skipped: ' + label + ' (' + why + ')');
}

// ---- files ----

const files = fs.readdirSync(site),
    text = Object.fromEntries(files.map(name => [name, fs.readFileSync(path.join(site, name), 'utf8')])),
    pages = files.filter(name => name.endsWith('.html') && text[name].includes('href="style.css"'));
const anchors = Object.fromEntries(pages.map(name => [name, new Set([...text[name].matchAll(/ id="([^"]*)"/g)].map(m => m[1]))]));
const bytes = files.reduce((sum, name) => sum + fs.statSync(path.join(site, name)).size, 0);
console.log(files.length + ' files, ' + pages.length + ' pages, ' + bytes + ' bytes');
check('less than 3 MB', bytes < 3e6, true);
for (const name of pages) {
    const broken = [...text[name].matchAll(/(?:href|src)="([^"]*)"/g)]
        .map(m => m[1].split('#'))
        .filter(([file, anchor]) => !files.includes(file || name) || (anchor && anchors[file || name] && !anchors[file || name].has(anchor)));
    check(name + ': links lead somewhere', broken.map(b => b.join('#')).join(' '), '');
    const ids = [...text[name].matchAll(/ id="([^"]*)"/g)].map(m => m[1]);
    check(name + ': anchors are distinct', ids.filter((id, i) => ids.indexOf(id) !== i).join(' '), '');
    check(name + ': no address outside', (/(?:src|href)="(?:https?:)?\/\/[^"]*"/.exec(text[name]) || [''])[0], '');
}
const NAMES = new Function(text['names.js'] + '; return NAMES;')();
const lost = NAMES.filter(([, address]) => {
    const [file, anchor] = address.split('#');
    return !files.includes(file) || (anchor && !anchors[file].has(anchor));
});
check('what the search finds is there', lost.join(' '), '');
const api = [...fs.readFileSync('graphsplit.h', 'utf8').matchAll(/^GSP_API[^;]*?\b(gsp_[a-z0-9_]+)\(/gm)].map(m => m[1]),
    known = new Set(NAMES.map(n => n[0]));
check('all ' + api.length + ' functions are explained', api.filter(name => !known.has(name)).join(' '), '');

// ---- the browser ----

if (!browser) {
    skip('the site in a browser', 'chromium is not installed');
} else {
    const b = await launch(browser, folder);
    try {
        for (const name of pages) {
            for (const screen of [{ width: 1400 }, { width: 390, dark: true }]) {
                const p = await b.page('file://' + site + '/' + name, screen),
                    label = name + ' at ' + screen.width;
                check(label + ': nothing is wider than the screen', await p.run('document.documentElement.scrollWidth <= innerWidth'), true);
                if (fs.existsSync(axe)) {
                    await p.call('Page.setBypassCSP', { enabled: true });
                    await p.run(fs.readFileSync(axe, 'utf8') + '; 0');
                    const told = await p.run(
                        'axe.run(document, { preload: false }).then(r => r.violations.map(v => v.id + ": " + v.nodes[0].html.slice(0, 200)))',
                    );
                    check(label + ': accessible', told.join('\n'), '');
                } else skip(label + ': accessible', 'axe-core cannot be fetched');
                check(label + ': silent', p.said.join('\n'), '');
                if (PICTURES) await p.picture(path.join(PICTURES, name.replace('.html', '') + '-' + screen.width + '.png'));
                await p.close();
            }
        }
        const p = await b.page('file://' + site + '/api-memory.html', { width: 1400 });
        await p.run('box.value = "memory pack run"; box.dispatchEvent(new Event("input")); 0');
        check('the search finds by words', await p.run('list.querySelector("a").textContent'), 'gsp_memory_pack_run');
        await p.run('box.form.requestSubmit(); 0');
        check('and goes there', await p.until('location.hash === "#gsp_memory_pack_run"', 10), true);
        await p.close();
        if (files.includes('playground.html')) {
            const began = Date.now(),
                q = await b.page('file://' + site + '/playground.html', { width: 1400 });
            check('the playground draws', await q.until('document.querySelector("#example") !== null', 10), true);
            const paint = await q.until('(performance.getEntriesByName("first-contentful-paint")[0] || {}).startTime', 10);
            console.log('playground: first paint after ' + Math.round(paint) + ' ms, open after ' + (Date.now() - began) + ' ms');
            check('within a second', paint > 0 && paint < 1000, true);
            await q.close();
        }
    } catch (e) {
        check('the browser does what it is asked: ' + e.stack, false, true);
    } finally {
        b.end();
    }
}
console.log(passed + ' passed, ' + failed + ' failed' + (skipped ? ', ' + skipped + ' skipped' : ''));
process.exit(failed ? 1 : 0);
