import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCatalog } from '../src/catalog.js';
import { ErpError } from '../src/erp.js';
import { fakeErp } from './fake-erp.js';

function setup(prices) {
  const clock = { ms: 0 };
  const erp = fakeErp(prices);
  const catalog = createCatalog({ erp, ttlMs: 1000, now: () => clock.ms });
  return { clock, erp, catalog };
}

test('a price is fetched once and kept', async () => {
  const { erp, catalog } = setup({ 'A:EUR': 100 });
  assert.equal(await catalog.price('A', 'EUR'), 100);
  assert.equal(await catalog.price('A', 'EUR'), 100);
  assert.deepEqual(erp.calls, ['A:EUR']);
  assert.deepEqual(catalog.stats(), { hits: 1, misses: 1, entries: 1, inflight: 0 });
});

test('and fetched again after its time', async () => {
  const { clock, erp, catalog } = setup({ 'A:EUR': 100 });
  await catalog.price('A', 'EUR');
  clock.ms = 1000;
  await catalog.price('A', 'EUR');
  assert.equal(erp.calls.length, 2);
});

test('readers at the same time share one call', async () => {
  const { erp, catalog } = setup({ 'A:EUR': 100, 'A:CHF': 110 });
  const amounts = await Promise.all([
    catalog.price('A', 'EUR'),
    catalog.price('A', 'EUR'),
    catalog.price('A', 'CHF'),
  ]);
  assert.deepEqual(amounts, [100, 100, 110]);
  assert.deepEqual(erp.calls, ['A:EUR', 'A:CHF']);
});

test('an invalidated price is fetched again, in all currencies', async () => {
  const prices = { 'A:EUR': 100, 'A:CHF': 110, 'AB:EUR': 7 };
  const { erp, catalog } = setup(prices);
  await catalog.price('A', 'EUR');
  await catalog.price('A', 'CHF');
  await catalog.price('AB', 'EUR');
  prices['A:EUR'] = 90;
  catalog.invalidate('A');
  assert.equal(await catalog.price('A', 'EUR'), 90);
  await catalog.price('A', 'CHF');
  await catalog.price('AB', 'EUR');
  assert.equal(erp.calls.length, 5);
});

test('an ERP error reaches the reader', async () => {
  const { catalog } = setup({ 'A:EUR': new ErpError('503 for A') });
  await assert.rejects(catalog.price('A', 'EUR'), /503 for A/);
  assert.equal(catalog.stats().entries, 0);
});
