// A headless Chromium driven over its DevTools protocol.
import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Messages, PageTab} from './tab.mjs';

export class Chromium {
  #process; #profile; #rest = Buffer.alloc(0); #offline; #downloads;
  #messages = new Messages((text) => this.#process.stdio[3].write(`${text}\0`));

  /// `offline`: its tabs have no network. Downloads go to the folder `downloads`, if one is named.
  constructor(program, {offline = false, downloads = undefined} = {}) {
    [this.#offline, this.#downloads] = [offline, downloads];
    this.#profile = mkdtempSync(join(tmpdir(), 'headlight-browser-'));
    const options = ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--hide-scrollbars', '--remote-debugging-pipe', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions', '--lang=en-US', `--user-data-dir=${this.#profile}`, 'about:blank'];
    this.#process = spawn(program, options, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    this.#process.stdio[4].on('data', (data) => this.#read(data));
  }

  #read(data) {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (let end; (end = this.#rest.indexOf(0)) >= 0;) {
      this.#messages.take(this.#rest.subarray(0, end).toString());
      this.#rest = this.#rest.subarray(end + 1);
    }
  }

  on(listener) { this.#messages.on(listener); }
  send(method, params = {}, sessionId = undefined) { return this.#messages.send({method, params, sessionId}); }

  /// A tab of so many pixels.
  async tab(width, height, {dark = false, scale = 1, touch = false, language = 'en-US'} = {}) {
    const {browserContextId} = await this.send('Target.createBrowserContext');
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank', browserContextId});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const tab = new Tab(this, sessionId, targetId, browserContextId);
    await tab.begin(width, height, dark, scale, touch, language);
    if (this.#offline) await tab.go_offline();
    if (this.#downloads) await this.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: this.#downloads, browserContextId, eventsEnabled: true});
    return tab;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => (this.#process.exitCode === null ? this.#process.once('exit', resolve) : resolve()));
    rmSync(this.#profile, {recursive: true, force: true});
  }
}

export class Tab extends PageTab {
  #browser; #session; #target; context;

  constructor(browser, session, target, context) {
    super();
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

  go_offline() { return this.send('Network.emulateNetworkConditions', {offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0}); }
  go(url) { return this.send('Page.navigate', {url}); }

  async picture() {
    await this.value('window.headlight?.shown?.()');
    const {data} = await this.send('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(data, 'base64');
  }

  point(phase, x, y) {
    const type = {move: 'mouseMoved', down: 'mousePressed', up: 'mouseReleased'}[phase], pressed = phase !== 'move';
    return this.send('Input.dispatchMouseEvent', {type, x, y, button: pressed ? 'left' : 'none', clickCount: pressed ? 1 : 0});
  }

  #key(type, {key, code, held = 0}, more = {}) {
    const windowsVirtualKeyCode = key.length === 1 ? key.toUpperCase().charCodeAt(0) : {Enter: 13, Escape: 27, Backspace: 8, Tab: 9, End: 35}[key];
    return this.send('Input.dispatchKeyEvent', {type, key, code, modifiers: held, windowsVirtualKeyCode, ...more});
  }
  key_down({text, commands = [], ...key}) { return this.#key(text ? 'keyDown' : 'rawKeyDown', key, {text, commands}); }
  async key_up(key) {
    await this.#key('keyUp', key);
    if (key.held === 2) await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17});
  }

  async drop(x, y, files) {
    for (const type of ['dragEnter', 'dragOver', 'drop']) await this.send('Input.dispatchDragEvent', {type, x, y, data: {items: [], files, dragOperationsMask: 1}});
  }

  async close() {
    await this.#browser.send('Target.closeTarget', {targetId: this.#target});
    await this.#browser.send('Target.disposeBrowserContext', {browserContextId: this.context});
  }
}
