// Checks of a page, each in a tab of its own; what it asks of others and what the console complains of fails one, too.
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

export const width = 1280, height = 720;
export const expect = (holds, what) => { if (!holds) throw new Error(what); };

export class Checks {
  #browser; #pictures; #kind; #is_own; #keep;
  count = 0;
  failures = 0;

  /// Pictures go to the folder `pictures`: of what failed, and with `keep` of all. `is_own`: whether the page may ask for this address.
  constructor(browser, kind, pictures, is_own, keep = false) {
    [this.#browser, this.#kind, this.#pictures, this.#is_own, this.#keep] = [browser, kind, pictures, is_own, keep];
    mkdirSync(pictures, {recursive: true});
  }

  bad(what) {
    ++this.failures;
    console.log(`BAD   ${what}`);
  }

  /// `body` gets the tab and returns what is told of it, or throws. Where ONLY is set, those whose names contain it.
  async check(name, body, options = {}) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
    ++this.count;
    const tab = await this.#browser.tab(options.width ?? width, options.height ?? height, options);
    const keep_picture = (picture, failed) => writeFileSync(join(this.#pictures, `${this.#kind}_${name.replaceAll(/[^a-z0-9]+/gi, '_')}${failed}.png`), picture);
    try {
      const told = await body(tab);
      if (this.#keep) keep_picture(await tab.picture(), '');
      expect(tab.complaints.length === 0, `the console complains: ${tab.complaints.join('; ')}`);
      const foreign = tab.requests.filter((url) => !/^(data|blob|about):/.test(url) && !this.#is_own(url));
      expect(foreign.length === 0, `requests that leave the page: ${foreign.join(' ')}`);
      console.log(`good  ${name}${told ? `: ${told}` : ''}`);
    } catch (error) {
      this.bad(`${name}: ${error.message}`);
      keep_picture(await tab.picture().catch(() => Buffer.alloc(0)), '.failed');
    }
    await tab.close();
  }

  /// Ends the program: its exit status is 1 where one failed.
  end() {
    console.log(`${this.count} checks in ${this.#kind}, ${this.failures} failed; pictures in ${this.#pictures}`);
    process.exit(this.failures > 0 ? 1 : 0);
  }
}
