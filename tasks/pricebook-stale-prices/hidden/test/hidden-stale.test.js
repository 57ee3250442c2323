import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { createCatalog } from '../src/catalog.js';

// An ERP whose answers the test gives by hand, in any order.
function setup() {
  const calls = [];
  const erp = {
    fetchPrice(sku, currency) {
      return new Promise((resolve, reject) => {
        calls.push({ key: `${sku}:${currency}`, resolve, reject });
      });
    },
  };
  const catalog = createCatalog({ erp, ttlMs: 600000, now: () => 0 });
  return { calls, catalog, keys: () => calls.map((call) => call.key) };
}

// Starts a read and gives it time to reach the ERP. The promise comes back in an
// object, or awaiting this would wait for the price.
async function read(catalog, sku, currency = 'EUR') {
  const reading = catalog.price(sku, currency);
  reading.catch(() => {}); // the test looks at it later
  await turn();
  return { reading };
}

// Answered from the cache, without another call.
async function assertKept({ calls, catalog }, sku, currency, amount) {
  const count = calls.length;
  const { reading } = await read(catalog, sku, currency);
  assert.equal(calls.length, count, `${sku}:${currency} is fetched again`);
  assert.equal(await reading, amount);
}

async function assertAllSettled(catalog) {
  await turn();
  assert.equal(catalog.stats().inflight, 0);
}

test('a read after an invalidation does not wait for the outdated fetch', async () => {
  const { calls, catalog } = setup();
  const before = await read(catalog, 'A');
  catalog.invalidate('A');
  const after = await read(catalog, 'A');
  assert.equal(calls.length, 2);
  calls[0].resolve(189);
  await turn();
  calls[1].resolve(179);
  assert.ok([189, 179].includes(await before.reading));
  assert.equal(await after.reading, 179);
  await assertKept({ calls, catalog }, 'A', 'EUR', 179);
  await assertAllSettled(catalog);
});

test('the outdated answer is not kept, nobody having asked again', async () => {
  const { calls, catalog } = setup();
  const before = await read(catalog, 'A');
  catalog.invalidate('A');
  calls[0].resolve(189);
  await turn();
  const after = await read(catalog, 'A');
  // Either this read has fetched, or the one that waited did so again.
  assert.equal(calls.length, 2);
  calls[1].resolve(179);
  assert.equal(await after.reading, 179);
  assert.ok([189, 179].includes(await before.reading));
  await assertKept({ calls, catalog }, 'A', 'EUR', 179);
});

test('the outdated answer comes back last', async () => {
  const { calls, catalog } = setup();
  const before = await read(catalog, 'A');
  catalog.invalidate('A');
  const after = await read(catalog, 'A');
  calls[1].resolve(179);
  assert.equal(await after.reading, 179);
  await turn();
  calls[0].resolve(189);
  assert.ok([189, 179].includes(await before.reading));
  await turn();
  await assertKept({ calls, catalog }, 'A', 'EUR', 179);
  assert.equal(calls.length, 2);
  await assertAllSettled(catalog);
});

test('several invalidations, answers in every order', async () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (const order of orders) {
    const { calls, catalog } = setup();
    const readings = [await read(catalog, 'A')];
    for (let round = 1; round < 3; round += 1) {
      catalog.invalidate('A');
      readings.push(await read(catalog, 'A'));
    }
    assert.equal(calls.length, 3);
    for (const index of order) {
      calls[index].resolve(100 + index);
      await turn();
    }
    for (const { reading } of readings) assert.ok((await reading) >= 100);
    assert.equal(await readings[2].reading, 102, `order ${order}`);
    await assertKept({ calls, catalog }, 'A', 'EUR', 102);
    assert.equal(calls.length, 3);
    await assertAllSettled(catalog);
  }
});

test('two invalidations in a row without a read between them', async () => {
  const { calls, catalog } = setup();
  const before = await read(catalog, 'A');
  catalog.invalidate('A');
  catalog.invalidate('A');
  const after = await read(catalog, 'A');
  assert.equal(calls.length, 2);
  calls[0].resolve(189);
  await turn();
  calls[1].resolve(179);
  await before.reading;
  assert.equal(await after.reading, 179);
  await assertKept({ calls, catalog }, 'A', 'EUR', 179);
});

test('readers after the invalidation share one call, whatever the outdated one does', async () => {
  for (const ending of ['pending', 'answered', 'failed']) {
    const { calls, catalog } = setup();
    const before = await read(catalog, 'A');
    catalog.invalidate('A');
    const first = await read(catalog, 'A');
    if (ending === 'answered') calls[0].resolve(189);
    if (ending === 'failed') calls[0].reject(new Error('503'));
    await turn();
    const second = await read(catalog, 'A');
    assert.equal(calls.length, 2, ending);
    if (ending === 'pending') calls[0].resolve(189);
    await turn();
    calls[1].resolve(179);
    assert.deepEqual([await first.reading, await second.reading], [179, 179]);
    await Promise.allSettled([before.reading]);
    await assertKept({ calls, catalog }, 'A', 'EUR', 179);
    assert.equal(calls.length, 2, ending);
    await assertAllSettled(catalog);
  }
});

test('all currencies of the SKU are concerned', async () => {
  const { calls, catalog, keys } = setup();
  const old = [await read(catalog, 'A', 'EUR'), await read(catalog, 'A', 'CHF')];
  catalog.invalidate('A');
  const fresh = [await read(catalog, 'A', 'EUR'), await read(catalog, 'A', 'CHF')];
  assert.deepEqual(keys(), ['A:EUR', 'A:CHF', 'A:EUR', 'A:CHF']);
  for (const [index, call] of calls.entries()) {
    call.resolve(index);
    await turn();
  }
  await Promise.all(old.map(({ reading }) => reading));
  assert.deepEqual([await fresh[0].reading, await fresh[1].reading], [2, 3]);
  await assertKept({ calls, catalog }, 'A', 'CHF', 3);
});

test('other SKUs are neither fetched again nor thrown away', async () => {
  const { calls, catalog, keys } = setup();
  const running = await read(catalog, 'GX-2041');
  catalog.invalidate('GX-20');
  const joined = await read(catalog, 'GX-2041');
  assert.deepEqual(keys(), ['GX-2041:EUR']);
  calls[0].resolve(500);
  assert.deepEqual([await running.reading, await joined.reading], [500, 500]);
  catalog.invalidate('GX-20');
  await assertKept({ calls, catalog }, 'GX-2041', 'EUR', 500);
  assert.equal(calls.length, 1);
});

test('a failed fetch is an error for all who waited, and tried again after', async () => {
  const { calls, catalog } = setup();
  const waiting = [await read(catalog, 'A'), await read(catalog, 'A')];
  assert.equal(calls.length, 1);
  calls[0].reject(new Error('503 for A'));
  for (const { reading } of waiting) await assert.rejects(reading, /503 for A/);
  await assertAllSettled(catalog);
  const again = await read(catalog, 'A');
  assert.equal(calls.length, 2);
  calls[1].resolve(179);
  assert.equal(await again.reading, 179);
  await assertKept({ calls, catalog }, 'A', 'EUR', 179);
  await assertAllSettled(catalog);
});

test('failing twice, then working', async () => {
  const { calls, catalog } = setup();
  for (let round = 0; round < 2; round += 1) {
    const { reading } = await read(catalog, 'A');
    calls[round].reject(new Error(`no ${round}`));
    await assert.rejects(reading, new RegExp(`no ${round}`));
  }
  const last = await read(catalog, 'A');
  calls[2].resolve(5);
  assert.equal(await last.reading, 5);
});

test('the fetch after an invalidation may fail too', async () => {
  const { calls, catalog } = setup();
  const before = await read(catalog, 'A');
  catalog.invalidate('A');
  const after = await read(catalog, 'A');
  calls[1].reject(new Error('503 for A'));
  await assert.rejects(after.reading, /503 for A/);
  calls[0].resolve(189);
  await turn();
  const again = await read(catalog, 'A');
  assert.equal(calls.length, 3);
  calls[2].resolve(179);
  assert.equal(await again.reading, 179);
  await Promise.allSettled([before.reading]);
  await assertAllSettled(catalog);
});

test('no unhandled rejections', async () => {
  const seen = [];
  const note = (error) => seen.push(error);
  process.on('unhandledRejection', note);
  try {
    const { calls, catalog } = setup();
    const before = await read(catalog, 'A');
    catalog.invalidate('A');
    const after = await read(catalog, 'A');
    calls[0].reject(new Error('old'));
    calls[1].reject(new Error('new'));
    await Promise.allSettled([before.reading, after.reading]);
    await turn();
    await turn();
  } finally {
    process.off('unhandledRejection', note);
  }
  assert.deepEqual(seen, []);
});
