import assert from 'node:assert/strict';
import { Kiosk } from '../kiosk/v1.js';
import { Session } from '../src/session.mjs';
import { MemoryStore } from '../src/store.mjs';

export const GUESTS = ['Mr Brown', 'Dr Lund', 'Ms Adeyemi', 'Old Per', 'Tilda'];

export const addTable = (table, seats = 8) => ({ op: 'addTable', table, seats });
export const removeTable = (table) => ({ op: 'removeTable', table });
export const seat = (guest, table, number) => ({ op: 'seat', guest, table, seat: number });
export const unseat = (guest) => ({ op: 'unseat', guest });
export const note = (guest, text) => ({ op: 'note', guest, text });

/** A session with tables Oak and Elm that `house` set up, and a kiosk that follows it. */
export function open({ store = new MemoryStore(), fresh = true, ...options } = {}) {
  const session = new Session({
    store,
    guests: GUESTS,
    now: () => new Date('2024-05-11T09:12:00Z'),
    ...options,
  });
  const kiosk = new Kiosk(session.snapshot());
  session.subscribe((entry) => kiosk.receive(JSON.parse(JSON.stringify(entry))));
  if (fresh) session.submit('house', [addTable('Oak'), addTable('Elm')]);
  return { session, kiosk, store };
}

/** The plan without the number of its last entry. */
export function planOf(session) {
  const { tables, places, notes } = session.snapshot();
  return { tables, places, notes };
}

/** `act` is refused with a code, and neither plan nor log notice. */
export function refused(session, code, act) {
  const before = planOf(session);
  const seq = session.seq;
  const heard = [];
  const stop = session.subscribe((entry) => heard.push(entry));
  assert.throws(act, { name: 'PlanError', code });
  stop();
  assert.deepEqual(heard, []);
  assert.equal(session.seq, seq);
  assert.deepEqual(planOf(session), before);
}
