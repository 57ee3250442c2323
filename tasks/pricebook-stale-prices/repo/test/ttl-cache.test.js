import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TtlCache } from '../src/ttl-cache.js';

test('entries run out', () => {
  let ms = 0;
  const cache = new TtlCache({ ttlMs: 10, now: () => ms });
  cache.set('a', 1);
  ms = 9;
  assert.equal(cache.get('a'), 1);
  ms = 10;
  assert.equal(cache.get('a'), undefined);
  assert.equal(cache.size, 0);
});

test('a prefix drops only what starts with it', () => {
  const cache = new TtlCache({ ttlMs: 10, now: () => 0 });
  cache.set('A:EUR', 1);
  cache.set('A:CHF', 2);
  cache.set('AB:EUR', 3);
  assert.equal(cache.deletePrefix('A:'), 2);
  assert.equal(cache.get('AB:EUR'), 3);
});
