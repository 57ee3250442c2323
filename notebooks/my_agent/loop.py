"""A coding agent in one loop: asks a model, runs the shell commands it wants, until it wants none."""

import json
import os
import subprocess  # noqa: TID251 - a program of its own, started in the sandbox
import sys
import urllib.request
from pathlib import Path

url, model, prompt = sys.argv[1:4]
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
TOOLS = [{"type": "function", "function": {"name": "shell", "parameters": SHELL}}]
messages = [{"role": "user", "content": Path(prompt).read_text()}]
for _ in range(50):
    body = json.dumps({"model": model, "messages": messages, "tools": TOOLS}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['KEY']}"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as reply:
        said = json.load(reply)["choices"][0]["message"]
    messages.append(said)
    for call in said.get("tool_calls") or ():
        command = json.loads(call["function"]["arguments"])["command"]
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        told = {"command": command, "exit_code": done.returncode, "text": done.stdout + done.stderr}
        sys.stdout.write(json.dumps(told) + "\n")
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": told["text"]})
    if not said.get("tool_calls"):
        sys.stdout.write(json.dumps({"answer": said["content"]}) + "\n")
        break
