import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/client.mjs';
import { answer } from '../src/protocol.mjs';
import { addTable, openSession, seat } from './support.mjs';

const planner = { name: 'ada', role: 'planner' };

test('two clients see the same', () => {
  const session = openSession();
  const one = new Client((message) => answer(session, planner, message));
  const two = new Client((message) => answer(session, { name: 'bo', role: 'planner' }, message));
  session.subscribe((entry) => [one, two].forEach((client) => client.receive(entry)));
  assert.equal(one.change(addTable('Oak')), true);
  assert.equal(two.change(seat('Tilda', 'Elm', 1)), false);
  assert.equal(two.problem, 'no-table');
  assert.deepEqual(one.plan, two.plan);
});

test('viewers look only', () => {
  const session = openSession();
  const reply = answer(session, { name: 'couple', role: 'viewer' }, { type: 'submit', ops: [addTable('Oak')] });
  assert.equal(reply.code, 'read-only');
});

test('unknown messages', () => {
  assert.equal(answer(openSession(), planner, { type: 'shout' }).code, 'bad-message');
});
