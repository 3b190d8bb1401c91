// A server of a folder.
import {readFileSync, statSync} from 'node:fs';
import {createServer} from 'node:http';
import {extname, join, normalize} from 'node:path';

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
