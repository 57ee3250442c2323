import assert from 'node:assert/strict';
import { test } from 'node:test';
import { print } from '../src/print.js';

test('past midnight', () => {
  const rows = [{ from: 20, target: 120, ramp: 60, hold: 15, end: 75 }];
  assert.equal(
    print(rows, 8.04, 23 * 60),
    '   20 -> 120     1:00 hold  0:15  00:15 +1\nready 00:15 +1\n8.0 kWh',
  );
});
