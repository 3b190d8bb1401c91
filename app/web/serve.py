"""serve.py FOLDER PORT: serves the page on this machine, alone with itself, so that its threads may share memory."""

import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def end_headers(self):
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


folder, port = sys.argv[1], int(sys.argv[2])
with http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=folder)) as server:
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
