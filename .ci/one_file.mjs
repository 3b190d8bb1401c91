// node --experimental-websocket .ci/one_file.mjs chromium|firefox PAGE PROGRAM PICTURES: the page as one file, opened from disk in that browser
// without a network. PROGRAM makes pages with documents of it, and its pictures are what the page's are compared with. Exit status 1
// where one fails.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {Checks, expect, height, width} from './browsers/checks.mjs';
import {Chromium} from './browsers/chromium.mjs';
import {Firefox} from './browsers/firefox.mjs';
import {decodePng, desktop_picture, difference, most_different, percent} from './browsers/pictures.mjs';
import {wait} from './browsers/tab.mjs';

const [kind, ...paths] = process.argv.slice(2), [page, program, pictures] = paths.map((path) => resolve(path));
const fixtures = new URL('../tests/fixtures/', import.meta.url).pathname;
const own = mkdtempSync(join(tmpdir(), 'headlight-one-file-')), most_bytes = 14e6;

const alone = {offline: true, downloads: own};
const browser = kind === 'firefox' ? await Firefox.start(process.env.FIREFOX ?? 'firefox-esr', {width, height, ...alone}) : new Chromium(process.env.CHROMIUM ?? 'chromium', alone);
const checks = new Checks(browser, kind, pictures, (url) => url.startsWith('file:'), true);
const check = (...each) => checks.check(...each);

const at = (file, query = '') => pathToFileURL(file).href + query;
const open = async (tab, address) => {
  await tab.open(address, 120);
  const told = await tab.value('window.headlight.said');
  expect(told === '', `it says "${told}"`);
};
/// What share of the pixels differs from the desktop program's picture of `words`.
async function beside(tab, name, words) {
  const share = difference(await tab.picture(), desktop_picture(program, words, join(pictures, `${kind}_${name}.desktop.png`), width, height));
  expect(share <= most_different, percent(share));
  return percent(share);
}
const made = (name, ...words) => {
  const out = join(own, name);
  execFileSync(program, ['page', ...words, '-o', out], {stdio: ['ignore', 'ignore', 'ignore'], env: {...process.env, HEADLIGHT_ASSETS: resolve(page, '..')}});
  return out;
};

const bytes = statSync(page).size;
console.log(`      ${page}: ${(bytes / 1e6).toFixed(2)} MB`);
if (bytes > most_bytes) checks.bad(`it has more than ${most_bytes / 1e6} MB`);

await check('first picture', async (tab) => {
  await tab.go(at(page));
  await tab.until('window.headlight?.frames > 0', 'a first picture', 120);
  const first = await tab.value('Math.round(performance.now())');
  await tab.settle(120);
  return `after ${first} ms`;
});
for (const language of ['en', 'zh']) {
  await check(`opening picture, ${language}`, async (tab) => {
    await open(tab, at(page, `?language=${language}&theme=light`));
    return beside(tab, `opening_${language}`, ['--language', language, '--theme', 'light']);
  });
  await check(`mask lab, ${language}`, async (tab) => {
    await open(tab, at(page, `?lesson=first-light&view=mask&mask=causal()&language=${language}&theme=dark`));
    return beside(tab, `mask_${language}`, ['lesson:first-light', '--view', 'mask', '--mask', 'causal()', '--language', language, '--theme', 'dark']);
  });
  await check(`a lesson, ${language}`, async (tab) => {
    await open(tab, at(page, `?lesson=weighted-average&view=lesson&language=${language}&theme=light`));
    return beside(tab, `lesson_${language}`, ['lesson:weighted-average', '--view', 'lesson', '--language', language, '--theme', 'light']);
  });
  await check(`a sentence of one's own, ${language}`, async (tab) => {
    await open(tab, at(page, `?text=the+cat+sat&level=pipeline&language=${language}`));
    await tab.click(100, 94);
    await tab.press({key: 'a', code: 'KeyA', held: 2});
    await tab.type('cats purr');
    await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
    await tab.settle();
    const link = await tab.value('window.headlight.link');
    expect(link.includes('text=cats+purr'), `the words went nowhere: ${link}`);
    expect(!link.includes('file:') && !link.includes(page), `the link tells where the file lies: ${link}`);
  });
  await check(`training, ${language}`, async (tab) => {
    await open(tab, at(page, `?language=${language}`));
    const {status, complaints} = await tab.value('window.headlight.run("train", "reverse", "--steps", "20", "--seed", "1", "-o", "/tmp/learned")');
    expect(status === 0, complaints.join(' '));
    expect(await tab.value('window.headlight.read("/tmp/learned/config.json").length > 0'), 'no model came of it');
  });
  await check(`a file that is dropped, ${language}`, async (tab) => {
    await open(tab, at(page, `?language=${language}`));
    await tab.drop(640, 400, [join(fixtures, 'torch_mha.input.npz')]);
    await tab.until('document.title.includes("torch_mha")', 'opening');
    await tab.settle();
  });
  await check(`a PNG that is exported, ${language}`, async (tab) => {
    await open(tab, at(page, `?text=the+cat+sat&level=pipeline&select=weights:0,0,1,1&language=${language}`));
    await tab.press({key: 'e', code: 'KeyE', held: 2});
    await tab.settle();
    await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
    let files = [];
    for (const end = Date.now() + 20000; files.length === 0 && Date.now() < end;) {
      files = readdirSync(own).filter((file) => file.endsWith('.png'));
      await wait(100);
    }
    expect(files.length === 1, `no PNG came; it says "${await tab.value('window.headlight.said')}"`);
    const {width: w, height: h} = decodePng(readFileSync(join(own, files[0])));
    rmSync(join(own, files[0]));
    return `${files[0]}, ${w} x ${h}`;
  });
}
await check('what is open survives the tab', async (tab) => {
  await open(tab, at(page, '?text=the+cat+sat&level=pipeline'));
  await tab.click(100, 94);
  await tab.press({key: 'a', code: 'KeyA', held: 2});
  await tab.type('to be kept');
  await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
  await tab.settle();
  await wait(4000);
  await tab.go('about:blank');
  await tab.open(at(page), 120);
  expect(await tab.value('window.headlight.offers'), 'nothing is offered');
});
await check('a lesson that is handed out', async (tab) => {
  writeFileSync(join(own, 'lesson.json'), JSON.stringify({id: 'handed-out', title: {en: 'Handed out'}, description: {en: 'A test.'}, scenario: {file: 'net.npz'},
    steps: [{text: {en: 'Look at the weights.'}}, {text: {en: 'And at the </script> output.'}}]}));
  writeFileSync(join(own, 'net.npz'), readFileSync(join(fixtures, 'torch_mha.input.npz')));
  await open(tab, at(made('lesson.html', join(own, 'lesson.json'), '--theme', 'light')));
  return beside(tab, 'handed_out', [join(own, 'lesson.json'), '--theme', 'light']);
});
await check('tensors with a mask that are handed out', async (tab) => {
  await open(tab, at(made('tensors.html', join(fixtures, 'torch_mha.input.npz'), '--mask', 'causal()', '--theme', 'dark', '--level', 'pipeline')));
  return tab.value('document.title');
});
await check('a model with a text that is handed out', async (tab) => {
  await open(tab, at(made('model.html', 'model:english', '--text', 'the girl looked at', '--theme', 'dark')));
  return beside(tab, 'model', ['model:english', '--text', 'the girl looked at', '--theme', 'dark']);
});
await check('a small model of one\'s own that is handed out', async (tab) => {
  await open(tab, at(made('own.html', join(fixtures, 'networks/llama'))));
  return tab.value('document.title');
});

await browser.close();
rmSync(own, {recursive: true, force: true});
checks.end();
