import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from '../src/plan.js';

const KILN = { kw: 10, fast: 300 };

test('one step after the other', () => {
  const steps = [
    { rate: 100, target: 120, hold: 60 },
    { rate: null, target: 720, hold: 0 },
  ];
  assert.deepEqual(plan(steps, KILN), [
    { from: 20, target: 120, ramp: 60, hold: 60, end: 120 },
    { from: 120, target: 720, ramp: 120, hold: 0, end: 240 },
  ]);
});

test('a warm kiln', () => {
  const [row] = plan([{ rate: 100, target: 200, hold: 0 }], KILN, { from: 150 });
  assert.equal(row.ramp, 30);
});

test('a hold where it is already', () => {
  const [row] = plan([{ rate: 100, target: 20, hold: 45 }], KILN);
  assert.deepEqual(row, { from: 20, target: 20, ramp: 0, hold: 45, end: 45 });
});
