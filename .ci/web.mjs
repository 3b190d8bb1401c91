// node .ci/web.mjs PAGE PROGRAM PICTURES: what .ci/web checks, one after the other; exit status 1 where one fails.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {Checks, expect, height, width} from './browsers/checks.mjs';
import {Chromium} from './browsers/chromium.mjs';
import {decodePng, desktop_picture, difference, most_different, percent} from './browsers/pictures.mjs';
import {serve} from './browsers/server.mjs';
import {wait} from './browsers/tab.mjs';

const [page, program, pictures] = process.argv.slice(2);
const fixtures = new URL('../tests/fixtures/', import.meta.url).pathname;
const own = mkdtempSync(join(tmpdir(), 'headlight-web-'));

const server = await serve(page), isolated = await serve(page, true);
const browser = new Chromium(process.env.CHROMIUM ?? 'chromium');
const checks = new Checks(browser, 'chromium', pictures, (url) => [server.address, server.elsewhere, isolated.address].some((address) => url.startsWith(address)));
const check = (...each) => checks.check(...each), say = (text) => console.log(text);

const query = (settings) => '?' + Object.entries(settings).map(([key, text]) => (text === true ? key : `${key}=${encodeURIComponent(text)}`)).join('&');
/// The same for the desktop program.
const words = ({lesson, model, ...settings}) => [...(lesson ? [`lesson:${lesson}`] : model ? [`model:${model}`] : []), ...Object.entries(settings).flatMap(([key, text]) => (text === true ? [`--${key}`] : [`--${key}`, text]))];

// What it weighs

{
  const sizes = Object.fromEntries(['index.html', 'page.js', 'headlight.js', 'headlight.wasm', 'headlight.data', 'headlight-threads.js', 'headlight-threads.wasm'].map((file) => [file, gzipSync(readFileSync(join(page, file)), {level: 9}).length]));
  // One of the two programs is fetched: the larger counts.
  const fetched = (file) => !/^headlight(-threads)?[.](js|wasm)$/.test(file), program = (name) => sizes[`${name}.js`] + sizes[`${name}.wasm`];
  const whole = Object.entries(sizes).reduce((sum, [file, bytes]) => sum + (fetched(file) ? bytes : 0), 0) + Math.max(program('headlight'), program('headlight-threads')), face = gzipSync(readFileSync(join(page, 'fonts/wqy-microhei.ttc'))).length;
  const mb = (bytes) => (bytes / 1e6).toFixed(2);
  say(`      download, compressed by gzip: ${mb(whole)} MB (${Object.entries(sizes).map(([file, bytes]) => `${file} ${mb(bytes)}`).join(', ')}); the large Chinese face, when it is needed: ${mb(face)} MB`);
  if (whole >= 10.5e6) checks.bad('the download has 10.5 MB or more');
}

// It is there

await check('first picture', async (tab) => {
  await tab.send('Page.navigate', {url: server.address});
  await tab.until('window.headlight?.frames > 0', 'a first picture');
  const first = await tab.value('Math.round(performance.now())');
  await tab.settle();
  const settled = await tab.value('Math.round(performance.now())');
  writeFileSync(join(pictures, 'first.png'), await tab.picture());
  expect(first < 3000, `after ${first} ms; expected less than 3000`);
  return `after ${first} ms, all numbers after ${settled} ms`;
});

await check('frames', async (tab) => {
  await tab.open(`${server.address}?level=pipeline&text=the+cat+sat+on+the+mat`);
  const times = await tab.value(`new Promise((resolve) => {
    const times = [];
    let last;
    const each = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      window.headlight.touch();
      times.length < 120 ? requestAnimationFrame(each) : resolve(times.slice(10));
    };
    requestAnimationFrame(each);
  })`);
  const own = await tab.value(`(() => {
    const times = [];
    for (let i = 0; i < 60; ++i) times.push(window.headlight.frameTime());
    return times.sort((a, b) => a - b)[30];
  })()`);
  times.sort((a, b) => a - b);
  const median = times[times.length >> 1], late = times[Math.floor(times.length * 0.99)];
  return `median ${median.toFixed(1)} ms, 99 % within ${late.toFixed(1)} ms, at ${width} x ${height} in software; of it ${own.toFixed(1)} ms are the page's own${median >= 33 ? ' (MORE than the 33 that are wanted)' : ''}`;
});

// The same pictures as the desktop's

const views = {
  sentence: {},
  sentence_zh: {model: 'chinese', language: 'zh', level: 'sentence'},
  pipeline: {text: 'the cat sat', mask: 'causal()', level: 'pipeline'},
  operation: {text: 'the cat sat', level: 'operation:scores'},
  heads: {lesson: 'first-light', view: 'heads'},
  mask: {lesson: 'first-light', view: 'mask', mask: 'causal() && window(4)'},
  compare: {text: 'the cat sat', view: 'compare'},
  lesson: {lesson: 'weighted-average', view: 'lesson'},
  network: {model: 'english', view: 'network'},
  map: {random: true, queries: '700', keys: '700', view: 'map'},
  long: {random: true, queries: '512', keys: '512', level: 'pipeline'},
};
/// The page at `settings` beside the desktop's picture of `same`.
async function compare(tab, name, settings, same, scale = 1, address = server.address) {
  await tab.open(address + query(settings));
  const told = await tab.value('window.headlight.said');
  expect(told === '', `it says "${told}"`);
  const there = await tab.picture();
  writeFileSync(join(pictures, `${name}.page.png`), there);
  const share = difference(there, desktop_picture(program, words(same), join(pictures, `${name}.desktop.png`), width, height, scale));
  expect(share <= most_different, `${percent(share)}; expected at most ${most_different * 100} %`);
  return percent(share);
}
/// Until the tab shows what the desktop's window shows of `words`.
async function becomes(tab, name, words) {
  const desktop = desktop_picture(program, words, join(pictures, `${name}.desktop.png`), width, height);
  let share = 1;
  for (const end = Date.now() + 30000; share > most_different && Date.now() < end;) {
    await wait(500);
    const there = await tab.picture();
    writeFileSync(join(pictures, `${name}.page.png`), there);
    share = difference(there, desktop);
  }
  expect(share <= most_different, percent(share));
  return percent(share);
}
for (const [name, settings] of Object.entries(views)) {
  for (const theme of ['light', 'dark']) {
    await check(`picture of ${name}, ${theme}`, (tab) => compare(tab, `${name}_${theme}`, {...settings, theme}, {...settings, theme}));
  }
}
await check('light and dark as the browser prefers', (tab) => compare(tab, 'prefers_dark', {text: 'the cat sat'}, {text: 'the cat sat', theme: 'dark'}), {dark: true});
await check('the language that the browser prefers', (tab) => compare(tab, 'prefers_chinese', {text: 'the cat sat'}, {text: 'the cat sat', language: 'zh'}), {language: 'zh-CN'});
await check('two pixels to a point', (tab) => compare(tab, 'dense', {text: 'the cat sat', level: 'pipeline'}, {text: 'the cat sat', level: 'pipeline'}, 2), {scale: 2});
for (const name of ['sentence', 'map', 'long']) {
  await check(`picture of ${name}, by threads`, (tab) => compare(tab, `${name}_threads`, {...views[name], theme: 'light'}, {...views[name], theme: 'light'}, 1, isolated.address));
}
await check('letters that only the large face has', async (tab) => {
  await tab.open(`${server.address}?text=${encodeURIComponent('龘 靐 齉')}&level=pipeline`);
  await tab.until('performance.getEntriesByType("resource").some(({name}) => name.endsWith("wqy-microhei.ttc"))', 'fetching the face');
  await tab.settle();
  writeFileSync(join(pictures, 'large_face.png'), await tab.picture());
});
await check('a finger', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  for (const [type, touchPoints] of [['touchStart', [{x: 504, y: 24}]], ['touchEnd', []]]) {
    await tab.send('Input.dispatchTouchEvent', {type, touchPoints});
    await tab.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
  await tab.settle();
  const link = await tab.value('window.headlight.link');
  expect(link.includes('view=') && !link.includes('view=pipeline'), `a tap on another view leads to ${link}`);
  const steps = [[600, 680], [560, 720], [520, 760]];
  await tab.send('Page.navigate', {url: 'about:blank'});
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await tab.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: [{x: 620, y: 620, id: 1}, {x: 660, y: 620, id: 2}]});
  for (const [left, right] of steps) {
    await tab.send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: [{x: left, y: 620, id: 1}, {x: right, y: 620, id: 2}]});
    await tab.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
  await tab.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  await tab.settle();
  const zoomed = await tab.value('window.headlight.link');
  expect(zoomed.includes('zoom'), `two fingers that part lead to ${zoomed}`);
  await tab.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: [{x: 600, y: 620, id: 1}, {x: 680, y: 620, id: 2}]});
  for (const y of [600, 570, 540]) {
    await tab.send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: [{x: 600, y, id: 1}, {x: 680, y, id: 2}]});
    await tab.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  }
  await tab.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  await tab.settle();
  const moved = await tab.value('window.headlight.link');
  expect(moved !== zoomed, `two fingers that move together lead nowhere: ${moved}`);
}, {touch: true});

// Hands

const key = {v: {key: 'v', code: 'KeyV', text: 'v'}};

await check('a key', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await tab.press(key.v);
  await tab.settle();
  const link = await tab.value('window.headlight.link');
  expect(link.includes('view=network'), `V leads to ${link}`);
});

/// Writes `text` into the field of the words, in the left panel; `held`: the modifier of Select all, 2 for Ctrl, 4 for Cmd.
async function write_words(tab, text, held = 2) {
  await tab.click(100, 94);
  await tab.press({key: 'a', code: 'KeyA', held});
  await tab.type(text);
  await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
  await tab.settle();
}

await check('clicking and typing', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await write_words(tab, 'cats purr');
  writeFileSync(join(pictures, 'typed.png'), await tab.picture());
  const link = await tab.value('window.headlight.link');
  expect(link.includes('text=cats+purr'), `the words went nowhere: ${link}`);
});

await check('a Mac takes back twice under one Cmd', async (tab) => {
  await tab.send('Network.setUserAgentOverride', {userAgent: await tab.value('navigator.userAgent'), platform: 'MacIntel'});
  await tab.open(`${server.address}?text=one&level=pipeline`);
  for (const text of ['one two', 'one two three']) {
    await write_words(tab, text, 4);
    await tab.press({key: 'Escape', code: 'Escape'});  // out of the field, which takes back letters of its own
  }
  // The browser tells that Z goes down, twice, and never that it goes up while Cmd is held.
  const told = (type, key, code, modifiers) => tab.send('Input.dispatchKeyEvent', {type, key, code, modifiers, windowsVirtualKeyCode: key === 'z' ? 90 : 91});
  await told('rawKeyDown', 'Meta', 'MetaLeft', 4);
  for (const expected of ['one two', 'one']) {
    await told('rawKeyDown', 'z', 'KeyZ', 4);
    await tab.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    await tab.settle();
    const text = new URL(await tab.value('window.headlight.link')).searchParams.get('text');
    expect(text === expected, `what is taken back leaves "${text}"; expected "${expected}"`);
  }
  await told('keyUp', 'Meta', 'MetaLeft', 0);
});

await check('a link that is followed', async (tab) => {
  await tab.open(`${server.address}?text=red+green+blue&mask=causal()&heads=4&view=heads`);
  const link = await tab.value('window.headlight.link');
  for (const part of ['text=red+green+blue', 'mask=causal()', 'heads=4', 'view=heads']) expect(link.includes(part), `${part} is not in ${link}`);
  await tab.press(key.v);
  await tab.settle();
  const other = await tab.value('window.headlight.link');
  expect(other !== link, 'another view has the same link');
  await tab.send('Page.navigate', {url: 'about:blank'});
  await tab.open(other);
  expect((await tab.value('window.headlight.link')) === other, `${other} leads to ${await tab.value('window.headlight.link')}`);
  return other.slice(server.address.length);
});

await check('a scenario in the fragment', async (tab) => {
  await tab.open(`${server.address}#scenario=${encodeURIComponent('{"text": "one two three", "mask": "k <= q"}')}`);
  const link = decodeURIComponent(await tab.value('window.headlight.link'));
  expect(link.includes('one') && link.includes('k') && link.includes('<='), `it opens ${link}`);
});

await check('a file that is dropped', async (tab) => {
  await tab.open(server.address);
  await tab.drop(640, 400, [join(fixtures, 'torch_mha.input.npz')]);
  await tab.until('document.title.includes("torch_mha")', 'opening');
  await tab.settle();
  writeFileSync(join(pictures, 'dropped.png'), await tab.picture());
  return tab.value('document.title');
});

await check('a folder that is dropped', async (tab) => {
  await tab.open(server.address);
  await tab.drop(640, 400, [join(fixtures, 'networks/llama')]);
  await tab.until('window.headlight.said !== "" || window.headlight.ready && document.title.includes("llama")', 'opening');
  await tab.settle();
  expect(await tab.value('window.headlight.said') === '', await tab.value('window.headlight.said'));
  writeFileSync(join(pictures, 'dropped_folder.png'), await tab.picture());
  return tab.value('document.title');
});

await check('stages of one\'s own that are dropped', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline&theme=light`);
  const [input, mine] = ['torch_mha.input.npz', 'torch_mha.expected.npz'].map((file) => join(fixtures, file));
  await tab.drop(640, 400, [input]);
  await tab.until('document.title.includes("torch_mha")', 'opening');
  await tab.settle();
  await tab.drop(640, 400, [mine]);
  return becomes(tab, 'compared', [input, '--compare', mine, '--theme', 'light']);
});

await check('text that is pasted', async (tab) => {
  await browser.send('Browser.grantPermissions', {permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'], browserContextId: tab.context});
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await tab.value('navigator.clipboard.writeText("naïve 猫 paste")');
  await tab.click(100, 94);
  await tab.press({key: 'a', code: 'KeyA', held: 2});
  await tab.press({key: 'v', code: 'KeyV', held: 2, commands: ['paste']});
  await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
  await tab.settle();
  const link = new URL(await tab.value('window.headlight.link')).searchParams.get('text');
  expect(link === 'naïve 猫 paste', `what was pasted became "${link}"`);
});

await check('words that an input method composes', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await tab.click(100, 94);
  await tab.press({key: 'a', code: 'KeyA', held: 2});
  for (const so_far of ['m', 'ma', 'mao']) await tab.send('Input.imeSetComposition', {text: so_far, selectionStart: so_far.length, selectionEnd: so_far.length});
  await tab.send('Input.insertText', {text: '猫'});
  await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
  await tab.settle();
  const link = new URL(await tab.value('window.headlight.link')).searchParams.get('text');
  expect(link === '猫', `what was composed became "${link}"`);
});

await check('a PNG that is exported', async (tab) => {
  await browser.send('Browser.setDownloadBehavior', {behavior: 'allow', downloadPath: own, browserContextId: tab.context, eventsEnabled: true});
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline&select=weights:0,0,1,1`);
  await tab.press({key: 'e', code: 'KeyE', held: 2});
  await tab.settle();
  writeFileSync(join(pictures, 'export.png'), await tab.picture());
  await tab.press({key: 'Enter', code: 'Enter', text: '\r'});
  const end = Date.now() + 20000;
  let files = [];
  while (files.length === 0 && Date.now() < end) {
    files = readdirSync(own).filter((file) => file.endsWith('.png'));
    await wait(100);
  }
  expect(files.length === 1, `no PNG came; it says "${await tab.value('window.headlight.said')}"`);
  const png = readFileSync(join(own, files[0])), {width: w, height: h} = decodePng(png);
  writeFileSync(join(pictures, 'exported.png'), png);
  return `${files[0]}, ${w} x ${h}`;
});

await check('what is open survives the tab', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&level=pipeline`);
  await write_words(tab, 'to be kept');
  await wait(3000);
  await tab.send('Page.navigate', {url: 'about:blank'});
  await tab.open(server.address);
  expect(await tab.value('window.headlight.offers'), 'nothing is offered');
  writeFileSync(join(pictures, 'offered.png'), await tab.picture());
});

await check('a lesson goes on where one was', async (tab) => {
  await tab.open(`${server.address}?lesson=weighted-average&view=lesson`);
  const begin = await tab.value('window.headlight.link');
  await tab.click(126, 634);  // Next
  const there = await tab.value('window.headlight.link');
  expect(there !== begin, `the next step has the same link: ${there}`);
  await wait(3000);
  await tab.send('Page.navigate', {url: 'about:blank'});
  await tab.open(`${server.address}?lesson=weighted-average&view=lesson`);
  const again = await tab.value('window.headlight.link');
  expect(again === there, `it goes on at ${again}; expected ${there}`);
});

await check('in a frame of another page', async (tab) => {
  const settings = {text: 'the cat sat', mask: 'causal()', level: 'pipeline'}, inner = server.address + query(settings);
  await tab.send('Page.navigate', {url: `${server.elsewhere}frame.html?${encodeURIComponent(inner)}`});
  return becomes(tab, 'frame', words(settings));
});

await check('embedded', async (tab) => {
  await tab.open(`${server.address}?text=the+cat+sat&mask=causal()&level=pipeline&embed`);
  writeFileSync(join(pictures, 'embed.png'), await tab.picture());
});

await check('a link that is wrong', async (tab) => {
  await tab.open(`${server.address}?mask=cau(`);
  const told = await tab.value('window.headlight.said');
  expect(told.includes('mask'), `it says "${told}"`);
  return told;
});

/// Its frames while something long is computed at `address`.
async function works_long(tab, address) {
  await tab.open(`${address}?random&queries=4&keys=4`);
  const {longest, frames, seconds} = await tab.value(`(async () => {
    const tasks = [], observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((each) => each.duration)));
    observer.observe({type: 'longtask'});
    const before = window.headlight.frames, begun = performance.now();
    window.headlight.open([{name: 'long.json', bytes: new TextEncoder().encode(JSON.stringify({source: 'random', queries: 1024, keys: 1024, heads: 8, d_model: 256}))}]);
    do await new Promise((resolve) => setTimeout(resolve, 50)); while (!window.headlight.ready);
    const seconds = (performance.now() - begun) / 1000;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return {longest: Math.max(0, ...tasks), frames: window.headlight.frames - before, seconds};
  })()`);
  expect(await tab.value('window.headlight.said') === '', await tab.value('window.headlight.said'));
  expect(seconds > 0.2, `it was done in ${seconds} s, which is not long`);
  expect(frames > 5, `${frames} frames in ${seconds} s`);
  return `1024 x 1024, 8 heads: ${seconds.toFixed(2)} s, ${frames} frames meanwhile, the longest task ${Math.round(longest)} ms${longest > 50 ? ' (MORE than the 50 that are wanted)' : ''}`;
}
await check('long work leaves the frames their turn', (tab) => works_long(tab, server.address));
await check('long work is done by threads where the page has them', async (tab) => {
  const told = await works_long(tab, isolated.address);
  expect(await tab.value('window.headlight.threads'), 'the page has no threads');
  return told;
});

// The numbers

/// What the page at `address` computes of each fixture, beside the desktop program.
async function traces(tab, address) {
  await tab.open(address);
  const names = readdirSync(fixtures).filter((file) => /\.input\.(npz|pt|safetensors)$/.test(file));
  for (const name of names) {
    const bytes = readFileSync(join(fixtures, name)).toString('base64');
    const {status, complaints, out} = await tab.value(`(async () => {
      const bytes = Uint8Array.from(atob('${bytes}'), (c) => c.charCodeAt(0));
      window.headlight.write('/tmp/${name}', bytes);
      const {status, complaints} = window.headlight.run('trace', '/tmp/${name}', '-o', '/tmp/out.npz');
      let out = '';
      if (status === 0) for (const byte of window.headlight.read('/tmp/out.npz')) out += String.fromCharCode(byte);
      return {status, complaints, out: btoa(out)};
    })()`);
    expect(status === 0, `${name}: ${complaints.join(' ')}`);
    const traced = join(own, 'traced.npz');
    writeFileSync(traced, Buffer.from(out, 'base64'));
    const {stdout, stderr} = spawnSync(program, ['compare', join(fixtures, name), traced, '--json'], {encoding: 'utf8'});
    expect(stdout, `${name}: ${stderr}`);
    const compared = JSON.parse(stdout);
    expect(compared.match, `${name}: ${compared.first_difference} differs`);
    expect(compared.stages.filter(({present}) => present).length > 5, `${name}: only ${compared.stages.length} stages`);
  }
  return `${names.length} files, each stage as the desktop's`;
}
await check('the stages of every fixture', (tab) => traces(tab, server.address));
await check('the stages of every fixture, by threads', (tab) => traces(tab, isolated.address));

await check('figures', async (tab) => {
  await tab.open(server.address);
  const told = [];
  for (const [name, ...settings] of [['weights', '--head', 'all'], ['scores', '--head', '0', '--values'], ['weights', '--kind', 'arcs', '--head', '0']]) {
    const line = ['render', 'lesson:first-light', '--stage', name, ...settings, '-o'], mine = join(own, 'figure.png');
    const {status, complaints, out} = await tab.value(`(() => {
      const {status, complaints} = window.headlight.run(...${JSON.stringify([...line, '/tmp/figure.png'])});
      return {status, complaints, out: status === 0 ? btoa(String.fromCharCode(...window.headlight.read('/tmp/figure.png'))) : ''};
    })()`);
    expect(status === 0, complaints.join(' '));
    const there = Buffer.from(out, 'base64');
    execFileSync(program, [...line, mine], {stdio: ['ignore', 'ignore', 'ignore']});
    writeFileSync(join(pictures, `figure_${told.length}.page.png`), there);
    writeFileSync(join(pictures, `figure_${told.length}.desktop.png`), readFileSync(mine));
    const share = difference(there, readFileSync(mine));
    expect(share <= most_different, `${line.join(' ')}: ${percent(share)}`);
    told.push(`${(share * 100).toFixed(2)} %`);
  }
  const pdf = await tab.value(`window.headlight.run('render', 'lesson:first-light', '--stage', 'weights', '-o', '/tmp/figure.pdf')`);
  expect(pdf.status === 2 && pdf.complaints.join(' ').includes('PDF'), `of a PDF it says "${pdf.complaints.join(' ')}"`);
  return `${told.join(', ')} of the pixels differ from the desktop's`;
});

await browser.close();
server.close();
isolated.close();
rmSync(own, {recursive: true, force: true});
checks.end();
