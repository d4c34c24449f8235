"""A server in front of the one at PETSTORE_URL. It refuses the first request for each method and path with 429, and fails
if the same request comes again sooner than `Retry-After` said, or with another Idempotency-Key. Prints its address."""

import http.server
import os
import time
import urllib.error
import urllib.request

refused = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        name, key = (self.command, self.path.split("?")[0]), self.headers.get("Idempotency-Key")
        if name not in refused:
            refused[name] = (time.monotonic(), key)
            error = b'{"code": "rate_limit_exceeded", "message": "later", "status": 429}'
            return self.send(429, {"Retry-After": "1", "Content-Type": "application/json"}, error)
        since, first_key = refused[name]
        if since is not None and (time.monotonic() - since < 1 or key != first_key):
            return self.send(500, {}, b"too soon, or another Idempotency-Key")
        refused[name] = (None, None)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        request = urllib.request.Request(os.environ["PETSTORE_URL"] + self.path, body or None, headers, method=self.command)
        try:
            response = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            response = error
        self.send(response.status, {"Content-Type": response.headers["Content-Type"]}, response.read())

    do_GET = do_POST = answer

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
