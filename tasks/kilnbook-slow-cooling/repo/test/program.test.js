import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProgram } from '../src/program.js';

test('steps', () => {
  assert.deepEqual(parseProgram('# bisque\n\n60/h to 120 hold 60\nfast to 1000 # up\n'), [
    { rate: 60, target: 120, hold: 60 },
    { rate: null, target: 1000, hold: 0 },
  ]);
});

test('rubbish is named with its line', () => {
  assert.throws(() => parseProgram('fast to 600\n60 to 120'), /line 2: not a step/);
  assert.throws(() => parseProgram('0/h to 120'), /line 1: a rate of 0/);
});
