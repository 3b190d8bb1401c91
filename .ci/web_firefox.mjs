// node --experimental-websocket .ci/web_firefox.mjs PAGE PROGRAM PICTURES: the page, a folder, in Firefox. It loads, complains of nothing,
// asks nobody else, and shows what the desktop program shows. Exit status 1 where it does not.
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Checks, expect, height, width} from './browsers/checks.mjs';
import {Firefox} from './browsers/firefox.mjs';
import {desktop_picture, difference, most_different, percent} from './browsers/pictures.mjs';
import {serve} from './browsers/server.mjs';

const [page, program, pictures] = process.argv.slice(2);
const server = await serve(page), firefox = await Firefox.start(process.env.FIREFOX ?? 'firefox-esr', {width, height});
const checks = new Checks(firefox, 'firefox', pictures, (url) => url.startsWith(server.address));

const views = {
  sentence: ['?theme=light', '--theme', 'light'],
  pipeline: ['?text=the+cat+sat&mask=causal()&level=pipeline&theme=dark', '--text', 'the cat sat', '--mask', 'causal()', '--level', 'pipeline', '--theme', 'dark'],
};
for (const [name, [query, ...words]] of Object.entries(views)) {
  await checks.check(`picture of ${name}`, async (tab) => {
    await tab.open(server.address + query);
    const there = await tab.picture();
    writeFileSync(join(pictures, `firefox_${name}.page.png`), there);
    const share = difference(there, desktop_picture(program, words, join(pictures, `firefox_${name}.desktop.png`), width, height));
    expect(share <= most_different, percent(share));
    return `${percent(share)}; Firefox ${await tab.value('navigator.userAgent.replace(/.*Firefox./, "")')}, stack switching ${await tab.value('typeof WebAssembly.Suspending === "function" ? "yes" : "no"')}`;
  });
}
await firefox.close();
server.close();
checks.end();
