"""A judge on loopback that knows the truth and errs at a known rate, for the sample store."""

import hashlib
import json
import random
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# share of good work passed, and of bad work passed
RATES = {"careful": (0.92, 0.12), "hasty": (0.96, 0.55)}
THRESHOLD = 0.7
NO_SCORE = 0.02
SIMULATED = "Simulated judge: it was told the outcome and errs by chance."
_MARKS = re.compile(r"\b[0-9a-f]{16}\b")


@dataclass(frozen=True)
class Known:
    """What was left by one trial, and whether it passed."""

    answer: str
    patch: str
    passed: bool


@contextmanager
def serving(known: Sequence[Known]) -> Iterator[str]:
    """Serve OpenAI's shape of API; yields its base URL."""
    longest = sorted(known, key=lambda one: len(one.answer) + len(one.patch), reverse=True)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = asked["messages"][-1]["content"]
            told = reply(asked["model"], text, longest)
            usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(told) // 4}
            message = {"message": {"role": "assistant", "content": told}, "finish_reason": "stop"}
            body = {"model": asked["model"], "choices": [message], "usage": usage}
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def reply(model: str, text: str, known: Sequence[Known]) -> str:
    """What a judge says; the same to the same work."""
    # the delimiters are drawn anew for every request
    digest = hashlib.sha256(_MARKS.sub("", text).encode()).hexdigest()
    draw = random.Random(f"{model}:{digest}")
    if draw.random() < NO_SCORE:
        return f"{SIMULATED} This time it gives no score."
    good = next(
        (k.passed for k in known if k.answer.strip() in text and k.patch.strip("\n") in text), False
    )
    passes = draw.random() < RATES[model][0 if good else 1]
    score = draw.uniform(THRESHOLD, 1) if passes else draw.uniform(0, THRESHOLD - 0.01)
    return json.dumps({"score": round(score, 2), "reasoning": SIMULATED})
