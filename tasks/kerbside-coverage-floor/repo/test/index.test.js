import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quote } from '../src/index.js';

test('quote', () => {
  const { cents, lines } = quote({ zone: 'B', from: '2026-03-02T09:50', to: '2026-03-02T11:30' });
  assert.equal(cents, 240);
  assert.equal(lines.at(-1), 'Total 2.40 EUR');
});
