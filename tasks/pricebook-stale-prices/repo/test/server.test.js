import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import { createCatalog } from '../src/catalog.js';
import { ErpError } from '../src/erp.js';
import { createServer } from '../src/server.js';
import { fakeErp } from './fake-erp.js';

const prices = { 'GX-1:EUR': 1999, 'down:EUR': new ErpError('503 for down') };
const catalog = createCatalog({ erp: fakeErp(prices), ttlMs: 60000 });
const server = createServer({ catalog, currencies: ['EUR', 'CHF'] });

// No sockets: the build machine has no network, not even its own.
function call(method, url, body) {
  const request = Object.assign(Readable.from(body ? [Buffer.from(body)] : []), { method, url });
  return new Promise((resolve) => {
    let status;
    server.emit('request', request, {
      writeHead: (code) => {
        status = code;
      },
      end: (text) => resolve({ status, body: JSON.parse(text) }),
    });
  });
}

test('a price', async () => {
  assert.deepEqual(await call('GET', '/price/GX-1'), {
    status: 200,
    body: { sku: 'GX-1', currency: 'EUR', amount: 1999 },
  });
});

test('a currency we do not have', async () => {
  assert.equal((await call('GET', '/price/GX-1?currency=USD')).status, 400);
});

test('the ERP is down', async () => {
  assert.equal((await call('GET', '/price/down')).status, 502);
});

test('a changed price', async () => {
  prices['GX-1:EUR'] = 1799;
  const event = JSON.stringify({ type: 'price.changed', sku: 'GX-1' });
  assert.equal((await call('POST', '/hooks/erp', event)).status, 204);
  assert.equal((await call('GET', '/price/GX-1')).body.amount, 1799);
});

test('health', async () => {
  assert.equal((await call('GET', '/healthz')).body.entries, 1);
});
