import assert from 'node:assert/strict';
import { test } from 'node:test';
import { euros, receipt } from '../src/receipt.js';

test('euros', () => {
  assert.equal(euros(5), '0.05');
  assert.equal(euros(1230), '12.30');
});

test('a line for every day', () => {
  const days = [[20514, 900], [20515, 60]];
  assert.equal(
    receipt({ id: 'B', name: 'Station' }, { cents: 960, days }),
    'Zone B Station\n2026-03-02  9.00\n2026-03-03  0.60\nTotal 9.60 EUR',
  );
});
