// What is imported today: one default league, as it was.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeEach, test } from 'node:test';
import * as bus from '../lib/bus.js';
import * as kelpie from '../lib/index.js';
import { rules } from '../lib/rules.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

beforeEach(() => kelpie.reset());

test('deep imports and index.js are the same league', () => {
  assert.equal(rules, kelpie.rules);
  const told = [];
  const listener = (dog) => told.push(dog.name);
  bus.on('dog', listener);
  kelpie.registerDog('Fly', 'x');
  kelpie.off('dog', listener);
  kelpie.registerDog('Moss', 'x');
  kelpie.on('dog', listener);
  kelpie.registerDog('Cap', 'x');
  bus.off('dog', listener);
  kelpie.registerDog('Jed', 'x');
  assert.deepEqual(told, ['Fly', 'Cap']);
});

test('rules written by a plugin hold at once, and through a reset', () => {
  kelpie.registerDog('Fly', 'x');
  kelpie.enterRun(1, { pen: 10, seconds: 500 });
  assert.equal(kelpie.handicap(1), 5);
  rules.penalties.pen = 2;
  rules.timeLimit = 499;
  try {
    assert.equal(kelpie.handicap(1), 50);
    rules.timeLimit = 600;
    assert.equal(kelpie.handicap(1), 10);
    rules.penalties.grip = 20;
    assert.equal(kelpie.enterRun(1, { grip: 1, seconds: 5 }), 80);
    kelpie.reset();
    assert.equal(kelpie.rules.penalties.pen, 2);
  } finally {
    rules.penalties.pen = 1;
    rules.timeLimit = 600;
    delete rules.penalties.grip;
  }
});

test('a reset keeps listeners and tells them, after everything is gone', () => {
  const told = [];
  const listener = (detail) => told.push([detail, kelpie.allDogs().length]);
  kelpie.on('reset', listener);
  kelpie.registerDog('Fly', 'x');
  kelpie.reset();
  kelpie.off('reset', listener);
  assert.deepEqual(told, [[undefined, 0]]);
});

test('a listener sees the league as it is by then', () => {
  const told = [];
  const listener = ({ dog, points }) => told.push([dog.name, points, kelpie.standings()[0].total]);
  kelpie.on('run', listener);
  kelpie.registerDog('Fly', 'x');
  kelpie.enterRun(1, { pen: 1, seconds: 50 });
  kelpie.off('run', listener);
  assert.deepEqual(told, [['Fly', 99, 99]]);
});

test('restoring tells nobody, and copies', () => {
  const told = [];
  const listener = () => told.push('dog');
  for (const event of ['dog', 'run', 'reset']) kelpie.on(event, listener);
  const season = { dogs: [{ number: 4, name: 'Nan', handler: 'x' }], runs: [{ number: 4, seconds: 9 }] };
  kelpie.restore(season);
  for (const event of ['dog', 'run', 'reset']) kelpie.off(event, listener);
  assert.deepEqual(told, []);
  season.dogs[0].name = 'Other';
  season.runs[0].seconds = 900;
  assert.equal(kelpie.findDog(4).name, 'Nan');
  assert.equal(kelpie.standings()[0].total, 100);
  assert.ok(Object.isFrozen(kelpie.findDog(4)));
  assert.equal(kelpie.save().next, 5);
  assert.equal(kelpie.registerDog('Cap', 'x').number, 5);
});

test('errors', () => {
  kelpie.registerDog('Fly', 'x');
  assert.throws(() => kelpie.registerDog('Fly', 'x'), { message: 'Fly (x) is registered already' });
  assert.throws(() => kelpie.enterRun(1, {}), { message: 'a run takes time' });
  assert.throws(() => kelpie.enterRun(9, {}), { message: 'no dog 9' });
  assert.throws(() => kelpie.findDog(9), { message: 'no dog 9' });
});

test('handicaps after a restore with as many runs', () => {
  const dogs = [{ number: 1, name: 'Fly', handler: 'x' }];
  kelpie.restore({ dogs, runs: [{ number: 1, pen: 10, seconds: 9 }] });
  assert.equal(kelpie.handicap(1), 5);
  kelpie.restore({ dogs, runs: [{ number: 1, pen: 20, seconds: 9 }] });
  assert.equal(kelpie.handicap(1), 10);
});

test('the command line', () => {
  const out = execFileSync(process.execPath, ['bin/kelpie.js', 'seasons/2023.json'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  assert.equal(out, ' 192  Fly  (2)\n  93  Moss  (4)\n   0  Nan  (50)\n');
});

test('a plugin can be the first import', () => {
  for (const first of ['./lib/bus.js', './lib/rules.js', './plugins/announcer.js']) {
    const program = `await import(${JSON.stringify(first)}); const k = await import('./lib/index.js');
      k.registerDog('Fly', 'x'); console.log(k.enterRun(1, { pen: 3, seconds: 5 }));`;
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, KELPIE_TENT: first.includes('plugins') ? '1' : '' },
    });
    assert.equal(out, first.includes('plugins') ? 'Fly: 97\n97\n' : '97\n');
  }
});
