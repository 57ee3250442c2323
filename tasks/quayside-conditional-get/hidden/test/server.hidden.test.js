// Through node:http, over an in-memory connection, so no port is opened.
import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { createServer } from '../src/server.js';
import { makeBoard } from './hidden-support.js';

function talk(server, lines) {
  return new Promise((resolve, reject) => {
    let received = '';
    const wire = new Duplex({
      read() {},
      write(chunk, encoding, done) {
        received += chunk;
        done();
      },
      final(done) {
        done();
        resolve(parse(received));
      },
    });
    wire.on('error', reject);
    server.emit('connection', wire);
    wire.push([...lines, 'Host: quayside', 'Connection: close', '', ''].join('\r\n'));
  });
}

function parse(text) {
  const end = text.indexOf('\r\n\r\n');
  const [first, ...rest] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    rest.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}

test('the real server gives the tag and takes it back', async () => {
  const server = createServer(makeBoard().app);
  const first = await talk(server, ['GET /departures?pier=kade HTTP/1.1', 'Accept: text/plain']);
  assert.equal(first.status, 200);
  assert.match(first.body, /North Bank/);
  assert.ok(first.headers.etag);

  const request = ['/departures?pier=kade HTTP/1.1', 'Accept: text/plain'];
  for (const method of ['GET', 'HEAD']) {
    const again = await talk(server, [
      `${method} ${request[0]}`,
      request[1],
      `If-None-Match: "old", ${first.headers.etag}`,
    ]);
    assert.equal(again.status, 304);
    assert.equal(again.body, '');
    assert.equal(again.headers.etag, first.headers.etag);
    assert.equal('content-type' in again.headers, false);
  }

  const other = await talk(server, [`GET ${request[0]}`, request[1], 'If-None-Match: "old"']);
  assert.equal(other.status, 200);
  assert.match(other.body, /North Bank/);
});

test('the cookie of the balancer still stays outside', async () => {
  let seen;
  const server = createServer({
    handle(request) {
      seen = request.headers;
      return { status: 200, headers: {}, body: '' };
    },
  });
  await talk(server, ['GET /piers HTTP/1.1', 'Cookie: balancer=7', 'Accept: text/plain']);
  assert.equal(seen.accept, 'text/plain');
  assert.equal('cookie' in seen, false);
});
