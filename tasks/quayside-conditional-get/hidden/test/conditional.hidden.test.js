import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../src/app.js';
import { Store } from '../src/store.js';
import { makeBoard } from './hidden-support.js';

const TEXT = { accept: 'text/plain' };
const READS = ['/departures', '/departures?pier=kade&limit=2', '/piers', '/notices'];
const opaque = (etag) => etag.replace(/^W\//, '');

function tag(response) {
  assert.equal(response.status, 200);
  assert.match(response.headers.etag ?? 'none', /^(W\/)?"[\x21\x23-\x7e]+"$/);
  return response.headers.etag;
}

function sameTag(a, b) {
  assert.equal(opaque(tag(a)), opaque(tag(b)));
}

function otherTag(a, b) {
  assert.notEqual(opaque(tag(a)), opaque(tag(b)));
}

test('every read has a tag, and answers 304 to it', () => {
  for (const url of READS) {
    for (const accept of ['application/json', 'text/plain']) {
      const board = makeBoard();
      const first = board.get(url, { accept });
      const again = board.get(url, { accept, 'if-none-match': tag(first) });
      assert.equal(again.status, 304, `${url} as ${accept}`);
      assert.equal(again.body, '');
      assert.equal(again.headers.etag, first.headers.etag);
      assert.equal(again.headers.vary, 'Accept');
      assert.equal(again.headers['cache-control'], 'no-cache');
      assert.equal('content-type' in again.headers, false);
    }
  }
});

test('the 200 itself is what it was', () => {
  const { headers, body } = makeBoard('09:00').get('/piers', TEXT);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.equal(headers.vary, 'Accept');
  assert.equal(body, 'Kade\nNorth Bank\nIsle of Ems\nas of 09:00\n');
});

test('HEAD has the tag of GET and can be a 304 too', () => {
  const board = makeBoard();
  const etag = tag(board.get('/departures?pier=kade'));
  const head = board.head('/departures?pier=kade');
  assert.equal(tag(head), etag);
  assert.equal(head.body, '');
  const again = board.head('/departures?pier=kade', { 'if-none-match': etag });
  assert.equal(again.status, 304);
  assert.equal(again.headers.etag, etag);
});

test('If-None-Match: lists, the star, and W/ on either side', () => {
  const board = makeBoard();
  const name = opaque(tag(board.get('/piers')));
  const status = (value) => board.get('/piers', { 'if-none-match': value }).status;
  for (const value of [name, `W/${name}`, '*', `"a", ${name}`, `"a",W/${name} , "b"`]) {
    assert.equal(status(value), 304, value);
  }
  for (const value of ['"a"', 'W/"a", "b"', `"${name.slice(1, -1)}x"`]) {
    assert.equal(status(value), 200, value);
  }
});

test('the time an answer was made does not matter', () => {
  for (const url of READS) {
    for (const headers of [{}, TEXT]) {
      const board = makeBoard('09:00');
      const early = board.get(url, headers);
      board.at('09:03');
      const late = board.get(url, headers);
      assert.notEqual(early.body, late.body);
      sameTag(early, late);
      assert.equal(board.get(url, { ...headers, 'if-none-match': tag(early) }).status, 304);
    }
  }
});

test('a sailing that has left changes the tag, with no write in between', () => {
  for (const headers of [{}, TEXT]) {
    const board = makeBoard('09:05');
    const before = board.get('/departures?pier=kade', headers);
    board.at('09:06');
    otherTag(before, board.get('/departures?pier=kade', headers));
    const asked = board.get('/departures?pier=kade', { ...headers, 'if-none-match': tag(before) });
    assert.equal(asked.status, 200);
    assert.match(asked.body, /09:15/);
  }
});

test('a delay changes the tag where it shows and nowhere else', () => {
  const board = makeBoard();
  const kade = board.get('/departures?pier=kade');
  const north = board.get('/departures?pier=north');
  const all = board.get('/departures');
  const piers = board.get('/piers');
  board.post('/delays', { sailing: 'K2-0915', minutes: 10 });
  otherTag(kade, board.get('/departures?pier=kade'));
  otherTag(all, board.get('/departures'));
  sameTag(north, board.get('/departures?pier=north'));
  sameTag(piers, board.get('/piers'));
  board.post('/delays', { sailing: 'K2-0915', minutes: 0 });
  sameTag(kade, board.get('/departures?pier=kade'));
});

test('a notice changes the tag of the notices', () => {
  const post = (text) => {
    const board = makeBoard();
    board.post('/notices', { text });
    return board;
  };
  for (const headers of [{}, TEXT]) {
    const none = makeBoard().get('/notices', headers);
    const nine = post('Ramp shut as of 09:30').get('/notices', headers);
    const ten = post('Ramp shut as of 10:30').get('/notices', headers);
    otherTag(none, nine);
    otherTag(nine, ten);
  }
  const board = makeBoard();
  const departures = board.get('/departures');
  board.post('/notices', { text: 'Fog' });
  sameTag(departures, board.get('/departures'));
});

test('two instances and a restart agree', () => {
  const one = makeBoard('09:00');
  one.post('/notices', { text: 'Fog' });
  one.post('/delays', { sailing: 'N2-0910', minutes: 3 });
  const other = makeBoard('09:00');
  other.post('/delays', { sailing: 'N2-0910', minutes: 30 });
  other.post('/delays', { sailing: 'N2-0910', minutes: 3 });
  other.at('09:02');
  for (const url of ['/departures', '/departures?pier=north', '/piers']) {
    for (const headers of [{}, TEXT]) sameTag(one.get(url, headers), other.get(url, headers));
  }
});

test('another timetable is other content', () => {
  const app = (name) =>
    createApp({ store: new Store({ piers: [{ id: 'a', name }], sailings: [] }) });
  const get = (name) => app(name).handle({ method: 'GET', url: '/piers', headers: {} });
  otherTag(get('Kade'), get('Kade South'));
  sameTag(get('Kade'), get('Kade'));
});

test('JSON and text have different tags', () => {
  for (const url of READS) {
    const board = makeBoard();
    const json = board.get(url);
    otherTag(json, board.get(url, TEXT));
    assert.equal(board.get(url, { ...TEXT, 'if-none-match': tag(json) }).status, 200);
  }
});

test('errors, writes and health know no tags', () => {
  const board = makeBoard();
  const star = { 'if-none-match': '*' };
  const expected = [
    [board.get('/departures?pier=moon', star), 404],
    [board.get('/departures?limit=0', star), 400],
    [board.get('/boats', star), 404],
    [board.get('/delays', star), 405],
    [board.get('/piers', { ...star, accept: 'image/png' }), 406],
    [board.post('/notices', { text: 'Fog' }, { ...star, authorization: 'Bearer guess' }), 401],
    [board.post('/notices', { text: 'Fog' }, star), 201],
    [board.post('/delays', { sailing: 'K2-0905', minutes: 1 }, star), 200],
    [board.get('/health', star), 200],
    [board.head('/health', star), 200],
  ];
  for (const [response, status] of expected) {
    assert.equal(response.status, status);
    assert.equal('etag' in response.headers, false);
  }
  assert.match(board.get('/notices').body, /Fog/);
});

test('the log shows the 304', () => {
  const board = makeBoard();
  const etag = tag(board.get('/piers'));
  board.get('/piers', { 'if-none-match': etag });
  assert.equal(board.lines.at(-1), 'GET /piers 304 0');
});
