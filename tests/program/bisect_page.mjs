// The page of `graphsplit bisect --html` in headless Chromium: on a desk and a phone, light and dark.
// usage: node bisect_page.mjs BROWSER FOLDER PAGE ROWS CULPRITS     writes FOLDER/page-WIDTH-MODE.png
import { pathToFileURL } from 'node:url';
import { launch } from '../web/chromium.mjs';

const [browser, folder, file, rows, culprits] = process.argv.slice(2);
const web = await launch(browser, folder);
let passed = 0,
    failed = 0;
const check = (label, fine) => {
    if (fine) passed++;
    else failed++;
    if (!fine) console.log('FAILED: ' + label);
};
for (const [width, dark] of [
    [1200, false],
    [1200, true],
    [390, false],
    [390, true],
]) {
    const label = width + (dark ? ' dark' : ' light') + ': ';
    const page = await web.page(pathToFileURL(file).href, { width, height: 844, dark });
    const count = selector => page.run(`document.querySelectorAll('${selector}').length`);
    check(label + 'the page asks for nothing else', page.asked.length === 1);
    check(label + 'it reports no error', page.said.length === 0);
    check(label + 'it fits the width', await page.run('document.documentElement.scrollWidth <= innerWidth'));
    check(label + 'a row per node', (await count('tbody tr')) === Number(rows));
    check(label + 'a point per node', (await count('svg circle')) === Number(rows));
    check(label + 'a card per culprit', (await count('.bad')) === Number(culprits));
    const light = await page.run('getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] > 127');
    check(label + 'its colours', light === !dark);
    await page.picture(`${folder}/page-${width}-${dark ? 'dark' : 'light'}.png`);
    await page.click('.bad a');
    check(
        label + 'a culprit leads to its row',
        await page.until('(() => { const r = document.querySelector(":target").getBoundingClientRect();' +
            'return r.top >= 0 && r.top < innerHeight; })()', 5),
    );
}
web.end();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
