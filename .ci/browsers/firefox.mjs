// A Firefox driven over WebDriver BiDi. Without a display it has no WebGL: xvfb-run gives it one.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {Messages, PageTab, wait} from './tab.mjs';

const free_port = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const {port} = probe.address();
    probe.close(() => resolve(port));
  });
});
const keys = {Enter: '\uE007', Escape: '\uE00C', Backspace: '\uE003', Tab: '\uE004', End: '\uE010', Control: '\uE009'};

export class Firefox {
  #process; #profile; #socket;
  #messages = new Messages((text) => this.#socket.send(text));

  /// `offline`: its requests go to a proxy that is not there. Downloads go to the folder `downloads`.
  static async start(program, {width, height, offline = false, downloads = tmpdir()}) {
    const browser = new Firefox();
    const port = await free_port();
    browser.#profile = mkdtempSync(join(tmpdir(), 'headlight-firefox-'));
    const settings = {'webgl.force-enabled': true, 'ui.systemUsesDarkTheme': 0, 'layout.css.prefers-color-scheme.content-override': 1,
      'browser.download.folderList': 2, 'browser.download.dir': downloads,
      ...(offline ? {'network.proxy.type': 1, 'network.proxy.http': '127.0.0.1', 'network.proxy.http_port': 9, 'network.proxy.ssl': '127.0.0.1', 'network.proxy.ssl_port': 9} : {})};
    writeFileSync(join(browser.#profile, 'user.js'), Object.entries(settings).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''));
    browser.#process = spawn(program, [`--width=${width}`, `--height=${height}`, '--profile', browser.#profile, `--remote-debugging-port=${port}`, 'about:blank'],
      {stdio: 'ignore', env: {...process.env, HOME: browser.#profile, LANG: 'C.UTF-8'}});
    await browser.#connect(port);
    await browser.send('session.new', {capabilities: {}});
    await browser.send('session.subscribe', {events: ['log.entryAdded', 'network.beforeRequestSent']});
    return browser;
  }

  /// Once Firefox listens.
  async #connect(port) {
    for (let tries = 0; tries < 300; ++tries) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/session`);
      const opened = await new Promise((resolve) => {
        socket.onopen = () => resolve(true);
        socket.onerror = () => resolve(false);
      });
      if (opened) {
        this.#socket = socket;
        socket.onmessage = ({data}) => this.#messages.take(data);
        return;
      }
      await wait(200);
    }
    throw new Error('Firefox does not listen');
  }

  on(listener) { this.#messages.on(listener); }
  send(method, params = {}) { return this.#messages.send({method, params}); }

  /// A tab of so many pixels, with a storage of its own.
  async tab(width, height) {
    const {userContext} = await this.send('browser.createUserContext');
    const {context} = await this.send('browsingContext.create', {type: 'tab', userContext});
    await this.send('browsingContext.setViewport', {context, viewport: {width, height}, devicePixelRatio: 1});
    return new FirefoxTab(this, context, userContext);
  }

  async close() {
    this.#socket?.close();
    this.#process.kill();
    await new Promise((resolve) => (this.#process.exitCode === null && this.#process.signalCode === null ? this.#process.once('exit', resolve) : resolve()));
    rmSync(this.#profile, {recursive: true, force: true});
  }
}

class FirefoxTab extends PageTab {
  #browser; #context; #own;

  constructor(browser, context, own) {
    super();
    [this.#browser, this.#context, this.#own] = [browser, context, own];
    browser.on(({method, params}) => {
      if (method === 'log.entryAdded' && params.source?.context === context && ['error', 'warn'].includes(params.level)) this.complaints.push(params.text);
      if (method === 'network.beforeRequestSent' && params.context === context) this.requests.push(params.request.url);
    });
  }

  #send(method, params) { return this.#browser.send(method, {context: this.#context, ...params}); }

  go(url) { return this.#send('browsingContext.navigate', {url, wait: 'complete'}); }

  /// The expression's value, of what JSON can hold; of a promise, what it resolves to.
  async value(expression) {
    const {result, exceptionDetails} = await this.#browser.send('script.evaluate',
      {expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`, target: {context: this.#context}, awaitPromise: true});
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value === undefined ? undefined : JSON.parse(result.value);
  }

  async picture() {
    await this.value('window.headlight?.shown?.()');
    return Buffer.from((await this.#send('browsingContext.captureScreenshot', {})).data, 'base64');
  }

  #act(source, actions) { return this.#send('input.performActions', {actions: [{...source, actions}]}); }
  point(phase, x, y) {
    const action = {move: {type: 'pointerMove', x, y}, down: {type: 'pointerDown', button: 0}, up: {type: 'pointerUp', button: 0}}[phase];
    return this.#act({type: 'pointer', id: 'mouse'}, [action]);
  }

  #keys(type, keys_of_it) { return this.#act({type: 'key', id: 'keyboard'}, keys_of_it.map((value) => ({type, value}))); }
  key_down({key, held = 0}) { return this.#keys('keyDown', [...(held === 2 ? [keys.Control] : []), keys[key] ?? key]); }
  key_up({key, held = 0}) { return this.#keys('keyUp', [keys[key] ?? key, ...(held === 2 ? [keys.Control] : [])]); }

  /// Firefox drags no files over BiDi: the page gets the event that a drop would be.
  async drop(x, y, files) {
    const given = files.map((file) => ({name: basename(file), data: readFileSync(file).toString('base64')}));
    await this.value(`(() => {
      const data = new DataTransfer();
      for (const each of ${JSON.stringify(given)}) data.items.add(new File([Uint8Array.from(atob(each.data), (letter) => letter.charCodeAt(0))], each.name));
      document.getElementById('canvas').dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, clientX: ${x}, clientY: ${y}, dataTransfer: data}));
    })()`);
  }

  close() { return this.#browser.send('browser.removeUserContext', {userContext: this.#own}); }
}
