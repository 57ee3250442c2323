import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../src/client.mjs';
import { feedLine } from '../src/feed.mjs';
import { answer } from '../src/protocol.mjs';
import { addTable, note, open, planOf, refused, removeTable, seat } from './hidden-support.mjs';

/** Tables, places and notes as a kiosk shows them. */
const screenOf = ({ places, notes }) => {
  const noted = new Set(notes.map(([guest]) => guest));
  return places.map(([guest, table, number]) => `${guest} ${table}/${number}${noted.has(guest) ? ' *' : ''}`);
};

test('the new entry is given back, stored and told', () => {
  const { session, store } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  for (const act of ['undo', 'redo']) {
    const heard = [];
    const stop = session.subscribe((entry) => heard.push(entry));
    const seq = session.seq;
    const entry = session[act]('ada');
    stop();
    assert.equal(entry.seq, seq + 1);
    assert.equal(entry.by, 'ada');
    assert.deepEqual(heard, [entry]);
    assert.deepEqual(store.load().entries.at(-1), JSON.parse(JSON.stringify(entry)));
  }
});

test('kiosks show the same all the time', () => {
  const { session, kiosk } = open();
  const same = () => assert.deepEqual(kiosk.screen(), screenOf(planOf(session)));
  session.submit('bo', [seat('Tilda', 'Oak', 5), note('Tilda', 'vegan'), seat('Old Per', 'Oak', 2)]);
  session.submit('ada', [seat('Tilda', 'Oak', 2 + 1)]);
  session.submit('ada', [addTable('Birch', 2), seat('Tilda', 'Birch', 1), seat('Old Per', 'Birch', 2), removeTable('Oak')]);
  session.submit('ada', [note('Tilda', '')]);
  for (const act of ['undo', 'undo', 'redo', 'undo', 'undo', 'redo', 'redo', 'redo', 'undo']) {
    session[act]('ada');
    same();
  }
});

test('a kiosk that connects later can follow', () => {
  const { session, store } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('ada', [seat('Tilda', 'Oak', 2)]);
  const { session: again, kiosk } = open({ store, fresh: false });
  again.undo('ada');
  assert.equal(kiosk.placeOf('Tilda'), 'Oak/1');
});

test('a restart at any point makes no difference', () => {
  const script = [
    (session) => session.submit('ada', [seat('Tilda', 'Oak', 1)]),
    (session) => session.submit('bo', [seat('Old Per', 'Elm', 1)]),
    (session) => session.submit('ada', [seat('Tilda', 'Elm', 2)]),
    (session) => session.submit('ada', [removeTable('Elm')]),
    (session) => session.undo('ada'),
    (session) => session.undo('ada'),
    (session) => session.undo('bo'),
    (session) => session.redo('ada'),
    (session) => session.undo('ada'),
    (session) => session.undo('ada'),
    (session) => session.redo('ada'),
    (session) => session.redo('bo'),
    (session) => session.redo('ada'),
    (session) => session.redo('ada'),
    (session) => refused(session, 'nothing-to-redo', () => session.redo('ada')),
    (session) => session.undo('ada'),
    (session) => session.submit('ada', [note('Tilda', 'vegan')]),
    (session) => refused(session, 'nothing-to-redo', () => session.redo('ada')),
    (session) => session.undo('ada'),
    (session) => session.undo('ada'),
  ];
  const { session, store } = open();
  let restarted = open({ store: open().store, fresh: false });
  for (const [number, step] of script.entries()) {
    step(session);
    step(restarted.session);
    assert.deepEqual(planOf(restarted.session), planOf(session), `step ${number}`);
    restarted = open({ store: restarted.store, fresh: false });
  }
  assert.deepEqual(restarted.session.entries, open({ store, fresh: false }).session.entries);
});

test('what is compacted is out of reach, restarted or not', () => {
  for (const restart of [false, true]) {
    const made = open({ compactEvery: 3 });
    let { session } = made;
    session.submit('ada', [seat('Tilda', 'Oak', 1)]);
    session.submit('ada', [seat('Tilda', 'Oak', 2)]);
    assert.deepEqual(session.entries, []);
    if (restart) ({ session } = open({ store: made.store, fresh: false, compactEvery: 3 }));
    refused(session, 'nothing-to-undo', () => session.undo('ada'));
    session.submit('ada', [seat('Tilda', 'Oak', 3)]);
    session.undo('ada');
    assert.deepEqual(planOf(session).places, [['Tilda', 'Oak', 2]]);
  }
});

test('undo counts for the compaction like any entry', () => {
  const { session, store } = open({ compactEvery: 3 });
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.undo('ada');
  assert.deepEqual(session.entries, []);
  assert.equal(store.load().snapshot.seq, 3);
  refused(session, 'nothing-to-redo', () => session.redo('ada'));
});

function browsers(session, ...users) {
  const clients = users.map((user) => new Client((message) => answer(session, user, message)));
  session.subscribe((entry) => clients.forEach((client) => client.receive(entry)));
  return clients;
}

test('undo and redo from the browser', () => {
  const { session } = open();
  const [ada, bo] = browsers(session, { name: 'ada', role: 'planner' }, { name: 'bo', role: 'planner' });
  assert.equal(ada.undo(), false);
  assert.equal(ada.problem, 'nothing-to-undo');
  ada.change(seat('Tilda', 'Oak', 1));
  assert.equal(ada.undo(), true);
  assert.equal(ada.problem, null);
  assert.equal(bo.plan.places.size, 0);
  assert.equal(bo.redo(), false);
  assert.equal(bo.problem, 'nothing-to-redo');
  assert.equal(ada.redo(), true);
  assert.deepEqual(bo.plan, ada.plan);
  assert.deepEqual(bo.plan.places.get('Tilda'), { table: 'Oak', seat: 1 });
  bo.change(seat('Tilda', 'Oak', 2));
  assert.equal(ada.undo(), false);
  assert.equal(ada.problem, 'conflict');
});

test('the answer has the number of the new entry', () => {
  const { session } = open();
  const user = { name: 'ada', role: 'planner' };
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  assert.deepEqual(answer(session, user, { type: 'undo' }), { type: 'ok', seq: 3 });
  assert.deepEqual(answer(session, user, { type: 'redo' }), { type: 'ok', seq: 4 });
});

test('viewers cannot', () => {
  const { session } = open();
  const couple = { name: 'couple', role: 'viewer' };
  assert.equal(answer(session, couple, { type: 'undo' }).code, 'read-only');
  assert.equal(answer(session, couple, { type: 'redo' }).code, 'read-only');
  // a planner who was made a viewer
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  assert.equal(answer(session, { name: 'ada', role: 'viewer' }, { type: 'undo' }).code, 'read-only');
  assert.deepEqual(planOf(session).places, [['Tilda', 'Oak', 1]]);
});

test('the feed names the original change', () => {
  const { session, store } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('bo', [seat('Old Per', 'Oak', 2)]);
  session.submit('ada', [seat('Tilda', 'Oak', 3)]);
  for (const act of ['undo', 'redo', 'undo', 'undo', 'redo']) session[act]('ada');
  assert.deepEqual(session.entries.map(feedLine).slice(3), [
    '09:12 ada seated Tilda at Oak/3',
    '09:12 ada undid #4',
    '09:12 ada redid #4',
    '09:12 ada undid #4',
    '09:12 ada undid #2',
    '09:12 ada redid #2',
  ]);
  const again = open({ store, fresh: false }).session;
  assert.equal(feedLine(again.redo('ada')), '09:12 ada redid #4');
});
