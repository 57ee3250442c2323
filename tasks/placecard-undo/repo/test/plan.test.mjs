import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyOps, emptyPlan, guestAt } from '../src/plan.mjs';
import { addTable, seat } from './support.mjs';

test('a guest moves', () => {
  const plan = applyOps(emptyPlan(), [addTable('Oak'), seat('Tilda', 'Oak', 1), seat('Tilda', 'Oak', 2)]);
  assert.equal(guestAt(plan, 'Oak', 1), undefined);
  assert.equal(guestAt(plan, 'Oak', 2), 'Tilda');
});

test('a seat is for one', () => {
  const plan = applyOps(emptyPlan(), [addTable('Oak'), seat('Tilda', 'Oak', 1)]);
  assert.throws(() => applyOps(plan, [seat('Old Per', 'Oak', 1)]), { code: 'taken' });
});

test('a removed table takes its places along', () => {
  const plan = applyOps(emptyPlan(), [addTable('Oak'), seat('Tilda', 'Oak', 1), { op: 'removeTable', table: 'Oak' }]);
  assert.equal(plan.places.size, 0);
});

test('unknown operations', () => {
  assert.throws(() => applyOps(emptyPlan(), [{ op: 'swap' }]), { code: 'bad-op' });
  assert.throws(() => applyOps(emptyPlan(), [{ op: 'constructor' }]), { code: 'bad-op' });
});
