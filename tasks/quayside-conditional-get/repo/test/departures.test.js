import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBoard } from './support.js';

const ids = (response) => JSON.parse(response.body).departures.map((departure) => departure.id);

test('the next departures of one pier, in order', () => {
  const board = makeBoard('09:00');
  assert.deepEqual(ids(board.get('/departures?pier=kade')), ['K2-0905', 'K2-0915', 'E1-0920']);
});

test('a sailing leaves the list when its expected time has passed', () => {
  const board = makeBoard('09:05');
  assert.equal(ids(board.get('/departures?pier=kade'))[0], 'K2-0905');
  board.at('09:06');
  assert.equal(ids(board.get('/departures?pier=kade'))[0], 'K2-0915');
  board.post('/delays', { sailing: 'K2-0905', minutes: 5 });
  assert.equal(ids(board.get('/departures?pier=kade'))[0], 'K2-0905');
});

test('limit', () => {
  const board = makeBoard();
  assert.equal(ids(board.get('/departures?limit=2')).length, 2);
  assert.equal(board.get('/departures?limit=none').status, 400);
});

test('the text for the LED boards', () => {
  const board = makeBoard('09:00');
  board.post('/delays', { sailing: 'K2-0915', minutes: 10 });
  const { body, headers } = board.get('/departures?pier=kade', { accept: 'text/plain' });
  assert.equal(body, '09:05  North Bank\n09:20  Isle of Ems\n09:25! North Bank\nas of 09:00\n');
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
});
