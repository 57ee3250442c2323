import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kiosk } from '../kiosk/v1.js';
import { MemoryStore } from '../src/store.mjs';
import { addTable, openSession, seat } from './support.mjs';

test('all of it or nothing', () => {
  const session = openSession();
  session.submit('ada', [addTable('Oak')]);
  assert.throws(() => session.submit('ada', [seat('Tilda', 'Oak', 1), seat('Old Per', 'Elm', 1)]), { code: 'no-table' });
  assert.equal(session.plan.places.size, 0);
  assert.equal(session.seq, 1);
});

test('only invited guests', () => {
  const session = openSession();
  session.submit('ada', [addTable('Oak')]);
  assert.throws(() => session.submit('ada', [seat('Gate Crasher', 'Oak', 1)]), { code: 'no-guest' });
});

test('a restart reads the log back', () => {
  const store = new MemoryStore();
  const session = openSession({ store });
  session.submit('ada', [addTable('Oak'), seat('Tilda', 'Oak', 1)]);
  assert.deepEqual(openSession({ store }).snapshot(), session.snapshot());
});

test('compaction', () => {
  const store = new MemoryStore();
  const session = openSession({ store, compactEvery: 2 });
  session.submit('ada', [addTable('Oak')]);
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  assert.deepEqual(session.entries, []);
  session.submit('ada', [seat('Tilda', 'Oak', 2)]);
  const again = openSession({ store });
  assert.equal(again.seq, 3);
  assert.deepEqual(again.snapshot(), session.snapshot());
});

test('a locked plan', () => {
  const session = openSession();
  session.lock();
  assert.throws(() => session.submit('ada', [addTable('Oak')]), { code: 'locked' });
});

test('kiosks follow', () => {
  const session = openSession();
  const kiosk = new Kiosk(session.snapshot());
  session.subscribe((entry) => kiosk.receive(entry));
  session.submit('ada', [addTable('Oak'), seat('Tilda', 'Oak', 1)]);
  assert.equal(kiosk.placeOf('Tilda'), 'Oak/1');
});
