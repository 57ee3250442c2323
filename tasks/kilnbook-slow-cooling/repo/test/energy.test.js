import assert from 'node:assert/strict';
import { test } from 'node:test';
import { energy } from '../src/energy.js';
import { plan } from '../src/plan.js';

test('climbing and holding', () => {
  const kiln = { kw: 10, fast: 300 };
  assert.equal(energy(plan([{ rate: 100, target: 120, hold: 0 }], kiln), kiln), 8);
  assert.equal(energy(plan([{ rate: 100, target: 20, hold: 120 }], kiln), kiln), 7);
});
