// A headless Chromium on a pipe: pages, clicks, real drops of real files, downloads, screenshots.
import { spawn } from 'node:child_process';

export async function launch(browser, folder) {
    const child = spawn(
        browser,
        [
            '--headless',
            '--no-sandbox',
            '--disable-gpu',
            '--disable-dev-shm-usage',
            '--hide-scrollbars',
            '--remote-debugging-pipe',
            '--user-data-dir=' + folder + '/profile',
            'about:blank',
        ],
        { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const waiting = new Map(),
        heard = [];
    let last = 0,
        rest = '';
    child.stdio[4].setEncoding('utf8');
    child.stdio[4].on('data', chunk => {
        const parts = (rest + chunk).split('\0');
        rest = parts.pop();
        parts
            .map(p => JSON.parse(p))
            .forEach(m => {
                const w = waiting.get(m.id);
                waiting.delete(m.id);
                if (w && m.error) w.fail(new Error(m.error.message));
                else if (w) w.done(m.result);
                else heard.slice().forEach(h => h(m));
            });
    });
    const send = (method, params = {}, sessionId) =>
        new Promise((done, fail) => {
            waiting.set(++last, { done, fail });
            child.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + '\0');
        });
    const end = () => {
        child.kill();
    };
    child.on('exit', () => waiting.forEach(w => w.fail(new Error('the browser ended'))));

    // A page, and what can be done with it.
    async function page(url, { width = 1440, height = 900, dark = false, before = '' } = {}) {
        const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
        const said = [],
            asked = []; // what the page says to the console, what it asks a network for
        heard.push(m => {
            if (m.sessionId !== sessionId) return;
            if (m.method === 'Runtime.exceptionThrown') {
                const d = m.params.exceptionDetails;
                said.push((d.exception && d.exception.description) || d.text);
            }
            if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error') said.push(m.params.entry.text);
            if (m.method === 'Network.requestWillBeSent') asked.push(m.params.request.url);
        });
        const call = (method, params) => send(method, params, sessionId);
        for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await call(domain + '.enable');
        await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
        await call('Emulation.setEmulatedMedia', {
            features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
        });
        await call('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
        if (before) await call('Page.addScriptToEvaluateOnNewDocument', { source: before });
        const loaded = new Promise(done =>
            heard.push(m => {
                if (m.sessionId === sessionId && m.method === 'Page.loadEventFired') done();
            }),
        );
        await call('Page.navigate', { url });
        await loaded;
        const self = {
            said,
            asked,
            call,
            async run(expression) {
                const { result, exceptionDetails } = await call('Runtime.evaluate', {
                    expression,
                    awaitPromise: true,
                    returnByValue: true,
                });
                if (exceptionDetails)
                    throw new Error((exceptionDetails.exception || {}).description || exceptionDetails.text);
                return result.value;
            },
            // Waits until an expression is true; what it was in the end.
            async until(expression, seconds = 20) {
                const end = Date.now() + 1000 * seconds;
                for (;;) {
                    const value = await self.run(expression);
                    if (value || Date.now() > end) return value;
                    await new Promise(r => setTimeout(r, 30));
                }
            },
            async middle(selector) {
                return self.run(
                    '(() => { const e = document.querySelector(' +
                        JSON.stringify(selector) +
                        ');' +
                        'e.scrollIntoView({ block: "nearest" }); const r = e.getBoundingClientRect();' +
                        'return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()',
                );
            },
            async click(selector) {
                const at = await self.middle(selector);
                for (const type of ['mouseMoved', 'mousePressed', 'mouseReleased']) {
                    await call('Input.dispatchMouseEvent', {
                        type,
                        ...at,
                        button: type === 'mouseMoved' ? 'none' : 'left',
                        clickCount: 1,
                    });
                }
            },
            async key(key, code = key, text) {
                await call('Input.dispatchKeyEvent', {
                    type: text ? 'keyDown' : 'rawKeyDown',
                    key,
                    code,
                    text,
                    windowsVirtualKeyCode: { Enter: 13, Tab: 9, ArrowRight: 39, Escape: 27, Delete: 46 }[key],
                });
                await call('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
            },
            // Files from the desktop, dropped where the mouse is.
            async drop(paths, at = { x: 300, y: 300 }) {
                const data = { items: [], files: paths, dragOperationsMask: 1 };
                for (const type of ['dragEnter', 'dragOver', 'drop']) {
                    await call('Input.dispatchDragEvent', { type, ...at, data });
                }
            },
            async picture(path) {
                const { data } = await call('Page.captureScreenshot', { format: 'png' });
                (await import('node:fs')).writeFileSync(path, Buffer.from(data, 'base64'));
            },
            close: () => send('Target.closeTarget', { targetId }),
        };
        return self;
    }
    return { page, end };
}
