// node --experimental-websocket .ci/web_firefox.mjs PAGE PROGRAM PICTURES: the page, a folder, in Firefox. It loads, complains of nothing,
// asks nobody else, and shows what the desktop program shows. Exit status 1 where it does not.
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Firefox} from './firefox_browser.mjs';
import {decodePng, difference, serve} from './web_browser.mjs';

const [page, program, pictures] = process.argv.slice(2);
const width = 1280, height = 720, most_different = 0.02, slack = 48;
mkdirSync(pictures, {recursive: true});

const server = await serve(page), firefox = await Firefox.start(process.env.FIREFOX ?? 'firefox-esr', {width, height});
let failed = false;
try {
  const tab = await firefox.tab(width, height);
  for (const [name, query, words] of [['firefox_sentence', '?theme=light', ['--theme', 'light']], ['firefox_pipeline', '?text=the+cat+sat&mask=causal()&level=pipeline&theme=dark', ['--text', 'the cat sat', '--mask', 'causal()', '--level', 'pipeline', '--theme', 'dark']]]) {
    await tab.go(server.address + query);
    await tab.settle();
    const there = await tab.picture(), mine = join(pictures, `${name}.desktop.png`);
    writeFileSync(join(pictures, `${name}.page.png`), there);
    execFileSync(program, [...words, '--screenshot', mine, '--size', `${width}x${height}`, '--scale-factor', '1'], {stdio: ['ignore', 'ignore', 'inherit']});
    const share = difference(decodePng(there), decodePng(readFileSync(mine)), slack);
    failed ||= share > most_different;
    console.log(`${share > most_different ? 'BAD ' : 'good'}  ${name}: ${(share * 100).toFixed(2)} % of the pixels differ`);
  }
  console.log(`      Firefox ${await tab.value('navigator.userAgent.replace(/.*Firefox./, "")')}, stack switching ${await tab.value('typeof WebAssembly.Suspending === "function" ? "yes" : "no"')}`);
  const foreign = tab.requests.filter((url) => !url.startsWith(server.address) && !/^(data|blob|about):/.test(url));
  if (tab.complaints.length || foreign.length) throw new Error(`${tab.complaints.join('; ')} ${foreign.join(' ')}`);
} catch (error) {
  failed = true;
  console.log(`BAD   Firefox: ${error.message}`);
}
await firefox.close();
server.close();
process.exit(failed ? 1 : 0);
