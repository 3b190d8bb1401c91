#!/usr/bin/env python3
"""one_file.py WEB MADE OUT: the page as one file. WEB has index.html and page.js, MADE what emscripten made: headlight.js,
headlight.wasm, headlight.data. These two are compressed by gzip, which a browser's DecompressionStream unpacks."""
import base64
import gzip
import os
import pathlib
import sys

# Nothing is asked of any server, also not of this file's own.
policy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; connect-src data:"


def script(text: str) -> str:
    return "<script>\n" + text.replace("</script", "<\\/script").replace("<!--", "<\\!--") + "\n</script>\n"


def packed(file: pathlib.Path) -> str:
    data = base64.b64encode(gzip.compress(file.read_bytes(), 9, mtime=0)).decode()
    return f'<script type="application/octet-stream" id="{file.name}">{data}</script>\n'


def main() -> None:
    web, made, out = map(pathlib.Path, sys.argv[1:])
    page = (web / "index.html").read_text(encoding="utf-8")
    head, rest = page.split('content="default-src', 1)
    page = head + f'content="{policy}' + rest[rest.index('"'):]
    before, after = page.split('<script src="page.js"></script>\n')
    page = before + packed(made / "headlight.wasm") + packed(made / "headlight.data")
    page += script((made / "headlight.js").read_text(encoding="utf-8")) + script((web / "page.js").read_text(encoding="utf-8"))
    new = out.with_suffix(".new")
    new.write_text(page + after, encoding="utf-8")
    os.replace(new, out)


main()
