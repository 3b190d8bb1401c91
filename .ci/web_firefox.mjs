// node --experimental-websocket .ci/web_firefox.mjs PAGE PROGRAM PICTURES: the page, a folder or one file, in Firefox, over WebDriver BiDi. It loads,
// complains of nothing, asks nobody else, and shows what the desktop program shows. Exit status 1 where it does not. Without a
// display Firefox has no WebGL: xvfb-run gives it one.
import {execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {decodePng, difference, serve} from './web_browser.mjs';

const [page, program, pictures] = process.argv.slice(2);
const width = 1280, height = 720, most_different = 0.02, slack = 48;
const profile = mkdtempSync(join(tmpdir(), 'headlight-firefox-'));
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
mkdirSync(pictures, {recursive: true});

const free_port = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const {port} = probe.address();
    probe.close(() => resolve(port));
  });
});

const port = await free_port();
writeFileSync(join(profile, 'user.js'), 'user_pref("webgl.force-enabled", true);\nuser_pref("ui.systemUsesDarkTheme", 0);\nuser_pref("layout.css.prefers-color-scheme.content-override", 1);\n');
const firefox = spawn(process.env.FIREFOX ?? 'firefox-esr', [`--width=${width}`, `--height=${height}`, '--profile', profile, `--remote-debugging-port=${port}`, 'about:blank'],
  {stdio: 'ignore', env: {...process.env, HOME: profile, LANG: 'C.UTF-8'}});

/// Once Firefox listens.
async function connect() {
  for (let tries = 0; tries < 200; ++tries) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
    const opened = await new Promise((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
    if (opened) return socket;
    await wait(200);
  }
  throw new Error('Firefox does not listen');
}

const server = page.endsWith('.html') ? {address: pathToFileURL(resolve(page)).href, close() {}} : await serve(page);
let failed = false;
try {
  const socket = await connect();
  const answers = new Map(), complaints = [], foreign = [];
  socket.onmessage = ({data}) => {
    const message = JSON.parse(data);
    if (message.type === 'event') {
      if (message.method === 'log.entryAdded' && ['error', 'warn'].includes(message.params.level)) complaints.push(message.params.text);
      if (message.method === 'network.beforeRequestSent') {
        const {url} = message.params.request;
        if (!url.startsWith(server.address) && !/^(data|blob|about):/.test(url)) foreign.push(url);
      }
      return;
    }
    const {good, bad} = answers.get(message.id);
    answers.delete(message.id);
    message.type === 'success' ? good(message.result) : bad(new Error(message.message));
  };
  let next = 0;
  const send = (method, params) => new Promise((good, bad) => {
    answers.set(++next, {good, bad});
    socket.send(JSON.stringify({id: next, method, params}));
  });
  await send('session.new', {capabilities: {}});
  await send('session.subscribe', {events: ['log.entryAdded', 'network.beforeRequestSent']});
  const {contexts: [{context}]} = await send('browsingContext.getTree', {});
  await send('browsingContext.setViewport', {context, viewport: {width, height}, devicePixelRatio: 1});
  const value = async (expression) => (await send('script.evaluate', {expression, target: {context}, awaitPromise: true})).result?.value;

  for (const [name, query, words] of [['firefox_sentence', '?theme=light', ['--theme', 'light']], ['firefox_pipeline', '?text=the+cat+sat&mask=causal()&level=pipeline&theme=dark', ['--text', 'the cat sat', '--mask', 'causal()', '--level', 'pipeline', '--theme', 'dark']]]) {
    await send('browsingContext.navigate', {context, url: server.address + query, wait: 'complete'});
    for (let tries = 0; !(await value('window.headlight?.ready')); ++tries) {
      if (tries > 600) throw new Error(`the page is not ready: ${complaints.join('; ')}; ${await value('document.body.innerText')}`);
      await wait(100);
    }
    await value('window.headlight.shown()');
    const there = Buffer.from((await send('browsingContext.captureScreenshot', {context})).data, 'base64'), mine = join(pictures, `${name}.desktop.png`);
    writeFileSync(join(pictures, `${name}.page.png`), there);
    execFileSync(program, [...words, '--screenshot', mine, '--size', `${width}x${height}`, '--scale-factor', '1'], {stdio: ['ignore', 'ignore', 'inherit']});
    const share = difference(decodePng(there), decodePng(readFileSync(mine)), slack);
    failed ||= share > most_different;
    console.log(`${share > most_different ? 'BAD ' : 'good'}  ${name}: ${(share * 100).toFixed(2)} % of the pixels differ`);
  }
  console.log(`      Firefox ${await value('navigator.userAgent.replace(/.*Firefox./, "")')}, stack switching ${await value('typeof WebAssembly.Suspending === "function" ? "yes" : "no"')}`);
  if (complaints.length || foreign.length) throw new Error(`${complaints.join('; ')} ${foreign.join(' ')}`);
  socket.close();
} catch (error) {
  failed = true;
  console.log(`BAD   Firefox: ${error.message}`);
}
firefox.kill();
await new Promise((resolve) => (firefox.exitCode === null && firefox.signalCode === null ? firefox.once('exit', resolve) : resolve()));
server.close();
rmSync(profile, {recursive: true, force: true});
process.exit(failed ? 1 : 0);
