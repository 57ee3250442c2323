import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { run } from '../src/cli.js';

const river = fileURLToPath(new URL('../samples/river.srt', import.meta.url));

function call(...args) {
  const said = { out: '', err: '' };
  const code = run(args, { write: (t) => (said.out += t) }, { write: (t) => (said.err += t) });
  return { code, ...said };
}

test('shift', () => {
  const { code, out } = call('shift', '-10', river);
  assert.equal(code, 0);
  assert.match(out, /^1\n00:00:02,040 --> 00:00:04,000\nWhere/);
});

test('usage', () => {
  assert.equal(call('shift').code, 2);
  assert.equal(call('dance', river).code, 2);
});

test('a file that is not there', () => {
  assert.equal(call('tidy', 'nowhere.srt').code, 1);
});
