# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sentence encoder behind http.server: POST of a JSON list of lists of ids to /encode.

    encoder.py MODEL [--port=8000]

MODEL has the inputs ids and mask, of batch x length. Sentences of different lengths are padded to the longest of
the request. What the program refuses is status 400, with its words; each request is a thread of its own.
"""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import symshape


class Handler(BaseHTTPRequestHandler):
    program = None

    def do_POST(self):
        try:
            sentences = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer(200, self.encode(sentences))
        except (symshape.Error, ValueError, TypeError) as error:
            self.answer(400, {"error": str(error)})

    def encode(self, sentences):
        ids, mask = np.zeros((2, len(sentences), max(map(len, sentences), default=0)), np.int64)
        for row, sentence in enumerate(sentences):
            ids[row, :len(sentence)], mask[row, :len(sentence)] = sentence, 1
        (states,) = self.program(ids=ids, mask=mask)
        return [states[row, :len(sentence)].tolist() for row, sentence in enumerate(sentences)]

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--port", type=int, default=8000)
    args = parser.parse_args()
    Handler.program = symshape.load(args.model)
    with ThreadingHTTPServer(("127.0.0.1", args.port), Handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/encode", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
