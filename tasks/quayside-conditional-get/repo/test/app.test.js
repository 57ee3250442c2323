import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBoard } from './support.js';

test('reads say when they were made and how to keep them', () => {
  const { status, headers, body } = makeBoard('09:00').get('/piers');
  assert.equal(status, 200);
  assert.equal(JSON.parse(body).generatedAt, '09:00');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal(headers.vary, 'Accept');
});

test('HEAD is GET without the body', () => {
  const board = makeBoard();
  const { headers } = board.get('/departures');
  assert.deepEqual(board.head('/departures'), { status: 200, headers, body: '' });
});

test('errors', () => {
  const board = makeBoard();
  assert.equal(board.get('/boats').status, 404);
  assert.equal(board.get('/departures?pier=moon').status, 404);
  assert.equal(board.get('/delays').status, 405);
  assert.equal(board.get('/piers', { accept: 'image/png' }).status, 406);
  assert.deepEqual(JSON.parse(board.get('/boats').body), { error: 'nothing at /boats' });
});

test('writes need the token', () => {
  const board = makeBoard();
  const denied = board.post('/notices', { text: 'Fog' }, { authorization: 'Bearer guess' });
  assert.equal(denied.status, 401);
  assert.equal(board.post('/notices', { text: 'Fog' }).status, 201);
  assert.deepEqual(JSON.parse(board.get('/notices').body).notices, [{ text: 'Fog', since: '09:00' }]);
});

test('health is never stored', () => {
  const { headers, body } = makeBoard().get('/health');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(JSON.parse(body).ok, true);
});

test('the log has one line a request', () => {
  const board = makeBoard();
  board.get('/boats');
  assert.deepEqual(board.lines, ['GET /boats 404 30']);
});
