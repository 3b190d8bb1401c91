// PNGs read and compared, and the desktop program's picture beside the page's.
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {inflateSync} from 'node:zlib';

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

const slack = 48;  // of 255: letters' edges are rasterised by other versions of FreeType
export const most_different = 0.02;  // of all pixels
export const percent = (share) => `${(share * 100).toFixed(2)} % of the pixels differ`;

/// The share of pixels in which two PNGs differ by more than the slack in a channel; all where their sizes differ.
export function difference(here, there) {
  const a = decodePng(here), b = decodePng(there);
  if (a.width !== b.width || a.height !== b.height) return 1;
  let count = 0;
  for (let at = 0; at < a.rgb.length; at += 3) {
    if (Math.abs(a.rgb[at] - b.rgb[at]) > slack || Math.abs(a.rgb[at + 1] - b.rgb[at + 1]) > slack || Math.abs(a.rgb[at + 2] - b.rgb[at + 2]) > slack) ++count;
  }
  return count / (a.width * a.height);
}

/// The desktop program's picture of its window, opened with `words`; it is written to `file`, too.
export function desktop_picture(program, words, file, width, height, scale = 1) {
  execFileSync(program, [...words, '--screenshot', file, '--size', `${width * scale}x${height * scale}`, '--scale-factor', `${scale}`], {stdio: ['ignore', 'ignore', 'inherit']});
  return readFileSync(file);
}
