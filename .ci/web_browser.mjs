// A headless Chromium driven over its DevTools protocol, a server of a folder, and PNGs read: what .ci/web.mjs checks with.
import {spawn} from 'node:child_process';
import {createServer} from 'node:http';
import {mkdtempSync, readFileSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {extname, join, normalize} from 'node:path';
import {inflateSync} from 'node:zlib';

const types = {'.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.mjs': 'text/javascript'};

/// Serves `folder` under /some/path/ on a free port; resolves to its address. `isolated`: alone with itself, so that its threads may share memory.
/// /frame.html?ADDRESS is another page, which has the one at ADDRESS in a frame.
export function serve(folder, isolated = false) {
  const alone = isolated ? {'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp'} : {};
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://x'), path = decodeURIComponent(url.pathname).replace(/^\/some\/path\//, '/');
    if (path === '/frame.html') {
      response.writeHead(200, {'Content-Type': 'text/html'});
      response.end(`<!doctype html><title>another page</title><link rel="icon" href="data:,"><body style="margin:0"><iframe src="${decodeURIComponent(url.search.slice(1)).replaceAll('"', '&quot;').replaceAll('<', '&lt;')}" style="position:fixed;inset:0;width:100%;height:100%;border:0"></iframe>`);
      return;
    }
    try {
      const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path));
      const bytes = readFileSync(file);
      response.writeHead(200, {'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Content-Length': statSync(file).size, ...alone});
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({
    address: `http://127.0.0.1:${server.address().port}/some/path/`,
    elsewhere: `http://localhost:${server.address().port}/`,  // to a browser another origin
    close: () => server.close(),
  })));
}

export class Browser {
  #process; #profile; #answers = new Map(); #next = 0; #rest = Buffer.alloc(0); #listeners = [];

  constructor(program) {
    this.#profile = mkdtempSync(join(tmpdir(), 'headlight-browser-'));
    const options = ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--hide-scrollbars', '--remote-debugging-pipe', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions', '--lang=en-US', `--user-data-dir=${this.#profile}`, 'about:blank'];
    this.#process = spawn(program, options, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.#process.stdio[4].on('data', (data) => this.#read(data));
  }

  #read(data) {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (let end; (end = this.#rest.indexOf(0)) >= 0;) {
      const message = JSON.parse(this.#rest.subarray(0, end).toString());
      this.#rest = this.#rest.subarray(end + 1);
      if (message.id === undefined) {
        for (const listener of this.#listeners) listener(message);
        continue;
      }
      const {good, bad} = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      message.error ? bad(new Error(message.error.message)) : good(message.result);
    }
  }

  on(listener) { this.#listeners.push(listener); }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#next;
    this.#process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId})}\0`);
    return new Promise((good, bad) => this.#answers.set(id, {good, bad}));
  }

  /// A tab of so many pixels.
  async tab(width, height, {dark = false, scale = 1, touch = false, language = 'en-US'} = {}) {
    const {browserContextId} = await this.send('Target.createBrowserContext');
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank', browserContextId});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const tab = new Tab(this, sessionId, targetId, browserContextId);
    await tab.begin(width, height, dark, scale, touch, language);
    return tab;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => (this.#process.exitCode === null ? this.#process.once('exit', resolve) : resolve()));
    rmSync(this.#profile, {recursive: true, force: true});
  }
}

export class Tab {
  #browser; #session; #target; context;
  complaints = [];  // errors of the console, the page and the network
  requests = [];

  constructor(browser, session, target, context) {
    [this.#browser, this.#session, this.#target, this.context] = [browser, session, target, context];
    browser.on(({method, params, sessionId}) => {
      if (sessionId !== session) return;
      if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) this.complaints.push(params.args.map((each) => each.value ?? each.description).join(' '));
      if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    });
  }

  send(method, params = {}) { return this.#browser.send(method, params, this.#session); }

  async begin(width, height, dark, scale, touch, language) {
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
    await this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: scale, mobile: false});
    await this.send('Network.setUserAgentOverride', {userAgent: await this.value('navigator.userAgent'), acceptLanguage: language});
    if (touch) await this.send('Emulation.setTouchEmulationEnabled', {enabled: true, maxTouchPoints: 2});
    await this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
  }

  /// The expression's value; of a promise, what it resolves to.
  async value(expression) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /// Until the expression is true.
  async until(expression, what, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; ;) {
      if (await this.value(expression).catch(() => false)) return;
      if (Date.now() > end) throw new Error(`${what} did not happen within ${seconds} s${this.complaints.length ? `: ${this.complaints.join('; ')}` : ''}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /// Without a network; its downloads go to the folder `downloads`.
  async goOffline(downloads) {
    await this.send('Network.emulateNetworkConditions', {offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0});
    await this.#browser.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: downloads, browserContextId: this.context, eventsEnabled: true});
  }

  go(url) { return this.send('Page.navigate', {url}); }
  async open(address) {
    await this.go(address);
    await this.settle();
  }
  settle() { return this.until('window.headlight?.ready', 'a settled page'); }

  async picture() {
    await this.value('window.headlight?.shown?.()');
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(data, 'base64');
  }

  async click(x, y) {
    for (const [type, clicks] of [['mouseMoved', 0], ['mousePressed', 1], ['mouseReleased', 1]]) {
      await this.send('Input.dispatchMouseEvent', {type, x, y, button: clicks ? 'left' : 'none', clickCount: clicks});
      await this.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    }
    await this.settle();
  }

  /// {key, code, text?, held?, commands?}: `held` is the modifier, 2 for Ctrl and 4 for Cmd; the last are the browser's own for these keys, which a headless one must be told.
  async press({key, code, text, held = 0, commands = []}) {
    const common = {key, code, modifiers: held, windowsVirtualKeyCode: key.length === 1 ? key.toUpperCase().charCodeAt(0) : {Enter: 13, Escape: 27, Backspace: 8, Tab: 9, End: 35}[key]};
    await this.send('Input.dispatchKeyEvent', {type: text ? 'keyDown' : 'rawKeyDown', text, commands, ...common});
    await this.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...common});
    if (held === 2) await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17});
    await this.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
  async type(text) {
    for (const c of text) await this.press({key: c, code: /[a-z]/i.test(c) ? `Key${c.toUpperCase()}` : c === ' ' ? 'Space' : '', text: c});
  }

  async drop(x, y, files) {
    for (const type of ['dragEnter', 'dragOver', 'drop']) await this.send('Input.dispatchDragEvent', {type, x, y, data: {items: [], files, dragOperationsMask: 1}});
  }

  async close() {
    await this.#browser.send('Target.closeTarget', {targetId: this.#target});
    await this.#browser.send('Target.disposeBrowserContext', {browserContextId: this.context});
  }
}

/// Of a PNG with 8 bits a channel, without interlacing: {width, height, rgb}.
export function decodePng(file) {
  if (file.readUInt32BE(0) !== 0x89504e47) throw new Error('no PNG');
  const width = file.readUInt32BE(16), height = file.readUInt32BE(20), channels = {2: 3, 6: 4, 0: 1}[file[25]], parts = [];
  if (file[24] !== 8 || !channels || file[28] !== 0) throw new Error('a PNG of another kind');
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts)), row = width * channels, lines = Buffer.alloc(row * height), rgb = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)], from = y * (row + 1) + 1, to = y * row;
    for (let x = 0; x < row; ++x) {
      const left = x >= channels ? lines[to + x - channels] : 0, up = y > 0 ? lines[to + x - row] : 0, corner = x >= channels && y > 0 ? lines[to + x - row - channels] : 0;
      const p = left + up - corner, a = Math.abs(p - left), b = Math.abs(p - up), c = Math.abs(p - corner);
      const guess = [0, left, up, (left + up) >> 1, a <= b && a <= c ? left : b <= c ? up : corner][filter];
      lines[to + x] = raw[from + x] + guess;
    }
    for (let x = 0; x < width; ++x) for (let k = 0; k < 3; ++k) rgb[(y * width + x) * 3 + k] = lines[to + x * channels + (channels >= 3 ? k : 0)];
  }
  return {width, height, rgb};
}

/// The share of pixels that differ by more than `slack` of 255 in a channel.
export function difference(a, b, slack) {
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let at = 0; at < a.rgb.length; at += 3) {
    if (Math.abs(a.rgb[at] - b.rgb[at]) > slack || Math.abs(a.rgb[at + 1] - b.rgb[at + 1]) > slack || Math.abs(a.rgb[at + 2] - b.rgb[at + 2]) > slack) ++count;
  }
  return count / (a.width * a.height);
}
