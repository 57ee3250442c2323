import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTable, note, open, planOf, refused, removeTable, seat, unseat } from './hidden-support.mjs';

/** Does `ops` as ada, undoes and redoes it, and compares. */
function thereAndBack(session, ops) {
  const before = planOf(session);
  session.submit('ada', ops);
  const after = planOf(session);
  session.undo('ada');
  assert.deepEqual(planOf(session), before);
  session.redo('ada');
  assert.deepEqual(planOf(session), after);
  session.undo('ada');
  assert.deepEqual(planOf(session), before);
}

test('each operation goes back and forth', () => {
  const { session } = open();
  session.submit('bo', [seat('Tilda', 'Oak', 1), note('Tilda', 'vegan'), seat('Dr Lund', 'Elm', 4)]);
  thereAndBack(session, [addTable('Birch', 3)]);
  thereAndBack(session, [seat('Old Per', 'Oak', 2)]);
  thereAndBack(session, [seat('Tilda', 'Elm', 1)]);
  thereAndBack(session, [unseat('Tilda')]);
  thereAndBack(session, [note('Tilda', 'no nuts')]);
  thereAndBack(session, [note('Tilda', '')]);
  thereAndBack(session, [note('Old Per', 'wheelchair')]);
});

test('a removed table comes back with everybody on their seats', () => {
  const { session } = open();
  session.submit('bo', [seat('Tilda', 'Oak', 5), seat('Old Per', 'Oak', 2), seat('Dr Lund', 'Elm', 1)]);
  thereAndBack(session, [removeTable('Oak')]);
});

test('a swap, and a table emptied into another', () => {
  const { session } = open();
  session.submit('bo', [seat('Tilda', 'Oak', 1), seat('Old Per', 'Oak', 2)]);
  thereAndBack(session, [unseat('Tilda'), seat('Old Per', 'Oak', 1), seat('Tilda', 'Oak', 2)]);
  thereAndBack(session, [
    addTable('Birch', 2),
    seat('Tilda', 'Birch', 1),
    seat('Old Per', 'Birch', 2),
    removeTable('Oak'),
  ]);
});

test('further and further back, and all the way forth', () => {
  const { session } = open();
  const plans = [planOf(session)];
  const steps = [[seat('Tilda', 'Oak', 1)], [seat('Tilda', 'Oak', 2)], [addTable('Birch')], [seat('Tilda', 'Birch', 8)]];
  for (const ops of steps) {
    session.submit('ada', ops);
    plans.push(planOf(session));
  }
  for (let index = 3; index >= 0; index -= 1) {
    session.undo('ada');
    assert.deepEqual(planOf(session), plans[index]);
  }
  refused(session, 'nothing-to-undo', () => session.undo('ada'));
  for (let index = 1; index <= 4; index += 1) {
    session.redo('ada');
    assert.deepEqual(planOf(session), plans[index]);
  }
  refused(session, 'nothing-to-redo', () => session.redo('ada'));
});

test('only what is mine, and what others did stays', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('bo', [seat('Old Per', 'Oak', 2)]);
  session.submit('bo', [note('Tilda', 'vegan')]);
  session.undo('ada');
  assert.deepEqual(planOf(session).places, [['Old Per', 'Oak', 2]]);
  assert.deepEqual(planOf(session).notes, [['Tilda', 'vegan']]);
  refused(session, 'nothing-to-undo', () => session.undo('ada'));
  refused(session, 'nothing-to-redo', () => session.redo('bo'));
  refused(session, 'nothing-to-undo', () => session.undo('cy'));
  session.undo('bo');
  session.undo('bo');
  assert.deepEqual(planOf(session).places, []);
});

test('a change of my own ends redo, one of others does not', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('ada', [seat('Old Per', 'Oak', 2)]);
  session.undo('ada');
  session.undo('ada');
  session.submit('bo', [seat('Dr Lund', 'Elm', 1)]);
  session.redo('ada');
  assert.deepEqual(planOf(session).places, [['Dr Lund', 'Elm', 1], ['Tilda', 'Oak', 1]]);
  session.submit('ada', [note('Tilda', 'vegan')]);
  refused(session, 'nothing-to-redo', () => session.redo('ada'));
  session.undo('ada');
  session.undo('ada');
  assert.deepEqual(planOf(session).places, [['Dr Lund', 'Elm', 1]]);
});

test('a refused change leaves redo alone', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.undo('ada');
  assert.throws(() => session.submit('ada', [seat('Tilda', 'Nowhere', 1)]), { code: 'no-table' });
  session.redo('ada');
  assert.deepEqual(planOf(session).places, [['Tilda', 'Oak', 1]]);
});

test('conflict: it is not as I left it', () => {
  const cases = [
    [[seat('Tilda', 'Oak', 1)], [seat('Tilda', 'Oak', 2)]],
    [[seat('Tilda', 'Oak', 1)], [unseat('Tilda')]],
    [[seat('Tilda', 'Oak', 1)], [removeTable('Oak')]],
    [[note('Tilda', 'vegan')], [note('Tilda', 'vegetarian')]],
    [[note('Tilda', 'vegan')], [note('Tilda', '')]],
    [[addTable('Birch')], [removeTable('Birch')]],
    [[removeTable('Elm')], [addTable('Elm', 3)]],
    [[seat('Old Per', 'Oak', 1), note('Tilda', 'vegan')], [note('Tilda', 'no nuts')]],
  ];
  for (const [mine, theirs] of cases) {
    const { session } = open();
    session.submit('ada', mine);
    session.submit('bo', theirs);
    refused(session, 'conflict', () => session.undo('ada'));
  }
});

test('conflict: a guest of the removed table has a new place', () => {
  const { session } = open();
  session.submit('bo', [seat('Tilda', 'Oak', 1), seat('Old Per', 'Oak', 2)]);
  session.submit('ada', [removeTable('Oak')]);
  session.submit('bo', [seat('Old Per', 'Elm', 1)]);
  refused(session, 'conflict', () => session.undo('ada'));
  session.submit('bo', [unseat('Old Per')]);
  session.undo('ada');
  assert.deepEqual(planOf(session).places, [['Old Per', 'Oak', 2], ['Tilda', 'Oak', 1]]);
});

test('conflict: the old chair is taken, until it is free again', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('ada', [seat('Tilda', 'Oak', 2), note('Tilda', 'vegan')]);
  session.submit('bo', [seat('Old Per', 'Oak', 1)]);
  refused(session, 'conflict', () => session.undo('ada'));
  refused(session, 'nothing-to-redo', () => session.redo('ada'));
  session.submit('bo', [seat('Old Per', 'Oak', 3)]);
  session.undo('ada');
  assert.deepEqual(planOf(session).places, [['Old Per', 'Oak', 3], ['Tilda', 'Oak', 1]]);
  assert.deepEqual(planOf(session).notes, []);
});

test('conflict: the old table is gone', () => {
  const { session } = open();
  session.submit('bo', [seat('Tilda', 'Elm', 1)]);
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('bo', [removeTable('Elm')]);
  refused(session, 'conflict', () => session.undo('ada'));
});

test('conflict: a guest of somebody else sits at my table', () => {
  const { session } = open();
  session.submit('ada', [addTable('Birch')]);
  session.submit('bo', [seat('Tilda', 'Birch', 3)]);
  refused(session, 'conflict', () => session.undo('ada'));
  session.submit('bo', [seat('Tilda', 'Oak', 3)]);
  session.undo('ada');
  assert.deepEqual(planOf(session).places, [['Tilda', 'Oak', 3]]);
});

test('conflicts of redo', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.undo('ada');
  session.submit('bo', [seat('Old Per', 'Oak', 1)]);
  refused(session, 'conflict', () => session.redo('ada'));
  session.submit('bo', [unseat('Old Per'), seat('Tilda', 'Elm', 1)]);
  refused(session, 'conflict', () => session.redo('ada'));
  session.submit('bo', [unseat('Tilda')]);
  session.redo('ada');
  assert.deepEqual(planOf(session).places, [['Tilda', 'Oak', 1]]);
});

test('redo of a removed table throws nobody out', () => {
  const { session } = open();
  session.submit('ada', [removeTable('Oak')]);
  session.undo('ada');
  session.submit('bo', [seat('Tilda', 'Oak', 3)]);
  refused(session, 'conflict', () => session.redo('ada'));
});

test('a locked plan stays as it is', () => {
  const { session } = open();
  session.submit('ada', [seat('Tilda', 'Oak', 1)]);
  session.submit('ada', [seat('Tilda', 'Oak', 2)]);
  session.undo('ada');
  session.lock();
  refused(session, 'locked', () => session.undo('ada'));
  refused(session, 'locked', () => session.redo('ada'));
});
