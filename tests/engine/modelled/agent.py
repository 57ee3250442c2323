"""A small agent: asks its model in the Messages format and runs the shell commands it is told to."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

URL = os.environ["AGENTEVAL_MODEL_URL"] + "/v1/messages"
HEADERS = {
    "content-type": "application/json",
    "x-api-key": os.environ["AGENTEVAL_MODEL_KEY"],
    "anthropic-version": "2023-06-01",
}
TOOL = {
    "name": "Bash",
    "description": "Runs a shell command.",
    "input_schema": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
messages = [{"role": "user", "content": Path(sys.argv[1]).read_text()}]
while True:
    body = {
        "model": os.environ.get("AGENTEVAL_MODEL", "any"),
        "max_tokens": 1000,
        "tools": [TOOL],
        "messages": messages,
    }
    request = urllib.request.Request(URL, json.dumps(body).encode(), HEADERS)
    try:
        answer = json.load(urllib.request.urlopen(request, timeout=60))
    except urllib.error.HTTPError as error:
        print(error.read().decode(), file=sys.stderr)
        sys.exit(3)
    messages.append({"role": "assistant", "content": answer["content"]})
    calls = [part for part in answer["content"] if part["type"] == "tool_use"]
    if not calls:
        break
    results = []
    for call in calls:
        done = subprocess.run(
            ["sh", "-c", call["input"]["command"]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        results.append(
            {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": done.stdout + done.stderr,
                "is_error": done.returncode != 0,
            }
        )
    messages.append({"role": "user", "content": results})
print("".join(part.get("text", "") for part in answer["content"]))
