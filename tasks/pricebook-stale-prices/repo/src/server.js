import http from 'node:http';

import { ErpError } from './erp.js';

export function createServer({ catalog, currencies }) {
  return http.createServer((request, response) => {
    route(request, { catalog, currencies })
      .catch((error) => {
        if (error instanceof ErpError) return [502, { error: error.message }];
        console.error(error);
        return [500, { error: 'internal' }];
      })
      .then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
  });
}

async function route(request, { catalog, currencies }) {
  const url = new URL(request.url, 'http://localhost');
  if (request.method === 'GET' && url.pathname === '/healthz') {
    return [200, catalog.stats()];
  }
  if (request.method === 'POST' && url.pathname === '/hooks/erp') {
    return hook(await bodyOf(request), catalog);
  }
  const match = /^\/price\/([^/]+)$/.exec(url.pathname);
  if (request.method === 'GET' && match) {
    const sku = decodeURIComponent(match[1]);
    const currency = url.searchParams.get('currency') ?? currencies[0];
    if (!currencies.includes(currency)) return [400, { error: `no prices in ${currency}` }];
    return [200, { sku, currency, amount: await catalog.price(sku, currency) }];
  }
  return [404, { error: 'not found' }];
}

function hook(text, catalog) {
  let event;
  try {
    event = JSON.parse(text);
  } catch {
    return [400, { error: 'not JSON' }];
  }
  // The ERP sends a dozen other event types, we never asked for them.
  if (event.type === 'price.changed') catalog.invalidate(event.sku);
  return [204, null];
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
