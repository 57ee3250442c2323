import assert from 'node:assert/strict';
import { test } from 'node:test';
import { main } from '../src/cli.js';

function ladle(...argv) {
  const lines = [];
  const code = main(argv, { out: (line) => lines.push(line), err: (line) => lines.push(line) });
  return { code, text: lines.join('\n') };
}

test('show', () => {
  const { code, text } = ladle('show', 'recipes/leek-pie.txt');
  assert.equal(code, 0);
  assert.match(text, /^Leek pie\n========\nServes 4\nFrom Oma Trude\n\n {2}500 g flour\n/);
  assert.match(text, /2\. Boil the leeks in 2 l water/);
});

test('mistakes', () => {
  assert.equal(ladle('show').code, 2);
  assert.equal(ladle('show', 'recipes/none.txt').code, 1);
  assert.equal(ladle('fry', 'x').code, 2);
});
