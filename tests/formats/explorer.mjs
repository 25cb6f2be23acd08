// Opens the page of Model Explorer in headless Chromium and prints what stands in it once the graph is there.
// usage: node explorer.mjs BROWSER FOLDER ADDRESS
import { launch } from '../web/chromium.mjs';

const [, , browser, folder, address] = process.argv;
const { page, end } = await launch(browser, folder);
try {
    const p = await page(address);
    // Text lies in shadow roots, too.
    const text = `(() => {
        const all = root => [...root.querySelectorAll('*')].flatMap(e => e.shadowRoot ? [e, ...all(e.shadowRoot)] : [e]);
        return all(document).filter(e => !e.children.length && e.tagName !== 'STYLE' && e.tagName !== 'SCRIPT')
            .map(e => e.textContent.trim()).filter(Boolean).join('\\n');
    })()`;
    await p.until(`/${process.argv[5] || 'Node count'}/i.test(${text})`, 20);
    console.log(await p.run(text));
    await p.picture(folder + '/explorer.png');
} finally {
    end();
}
