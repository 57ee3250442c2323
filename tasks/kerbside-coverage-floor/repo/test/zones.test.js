import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zone, zoneIds } from '../src/zones.js';

test('zones', () => {
  assert.deepEqual(zoneIds(), ['A', 'B', 'C']);
  assert.equal(zone('B').unitCents, 60);
  assert.equal(zone('B').id, 'B');
});

test('no such zone', () => {
  assert.throws(() => zone('toString'), RangeError);
});
