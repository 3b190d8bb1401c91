// What a tab of any browser does with the page, and messages with a number each: what chromium.mjs and firefox.mjs have in common.

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// Messages to a browser as JSON. Each has a number, which its answer has, too; what comes without an answer's number is an event.
export class Messages {
  #write; #answers = new Map(); #next = 0; #listeners = [];

  /// `write` takes a message's text.
  constructor(write) { this.#write = write; }

  on(listener) { this.#listeners.push(listener); }

  /// Resolves to what the answer holds.
  send(message) {
    const id = ++this.#next;
    this.#write(JSON.stringify({id, ...message}));
    return new Promise((good, bad) => this.#answers.set(id, {good, bad}));
  }

  /// A text that came from the browser.
  take(text) {
    const message = JSON.parse(text), answer = this.#answers.get(message.id);
    if (!answer) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    this.#answers.delete(message.id);
    message.error ? answer.bad(new Error(message.error.message ?? message.message)) : answer.good(message.result);
  }
}

/// A browser's own class adds: go(url), value(expression), picture(), point(phase, x, y) with phase "move", "down" or "up",
/// key_down(key), key_up(key), drop(x, y, files), close().
export class PageTab {
  complaints = [];  // errors of the console, the page and the network
  requests = [];

  /// Until the expression is true.
  async until(expression, what, seconds = 60) {
    for (const end = Date.now() + seconds * 1000; ;) {
      if (await this.value(expression).catch(() => false)) return;
      if (Date.now() > end) throw new Error(`${what} did not happen within ${seconds} s${this.complaints.length ? `: ${this.complaints.join('; ')}` : ''}`);
      await wait(30);
    }
  }

  settle(seconds = 60) { return this.until('window.headlight?.ready', 'a settled page', seconds); }
  async open(address, seconds = 60) {
    await this.go(address);
    await this.settle(seconds);
  }
  drawn() { return this.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(1))))'); }

  async click(x, y) {
    for (const phase of ['move', 'down', 'up']) {
      await this.point(phase, x, y);
      await this.drawn();
    }
    await this.settle();
  }

  /// {key, code, text?, held?, commands?}: `held` is the modifier, 2 for Ctrl and 4 for Cmd; the last are the browser's own for these keys,
  /// which a headless Chromium must be told. Firefox takes `key` and Ctrl alone.
  async press(key) {
    await this.key_down(key);
    await this.drawn();
    await this.key_up(key);
    await this.drawn();
  }
  async type(text) {
    for (const c of text) await this.press({key: c, code: /[a-z]/i.test(c) ? `Key${c.toUpperCase()}` : c === ' ' ? 'Space' : '', text: c});
  }
}
