"""serve.py FOLDER PORT: serves a folder on this machine alone, on the first free port from PORT on."""
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # a new build is seen at once
        super().end_headers()

    def log_message(self, *_):
        pass


def main(folder, port):
    handler = functools.partial(Handler, directory=folder)
    for candidate in range(port, port + 100):
        try:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", candidate), handler)
        except OSError:
            continue
        print(f"tilewalk: http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    print(f"tilewalk: no free port from {port} to {port + 99}; say --port N", file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
