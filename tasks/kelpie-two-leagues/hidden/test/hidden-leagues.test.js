// Leagues share nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import * as kelpie from '../lib/index.js';
import { createLeague } from '../lib/league.js';

const NAMES = [
  'allDogs', 'enterRun', 'findDog', 'handicap', 'off', 'on', 'registerDog', 'reset', 'restore',
  'rules', 'save', 'standings',
]; // prettier-ignore

const BUILT_IN = {
  maxPoints: 100,
  timeLimit: 600,
  best: 4,
  penalties: { outrun: 1, lift: 1, fetch: 1, drive: 1, pen: 1 },
};

test('a league has everything that index.js exports', () => {
  const league = createLeague();
  for (const name of NAMES) {
    assert.equal(typeof league[name], name === 'rules' ? 'object' : 'function', name);
  }
  assert.equal(kelpie.createLeague, createLeague);
});

test('dogs and their numbers', () => {
  const [valley, hill] = [createLeague(), createLeague()];
  assert.equal(valley.registerDog('Fly', 'x').number, 1);
  assert.equal(valley.registerDog('Moss', 'x').number, 2);
  assert.equal(hill.registerDog('Fly', 'x').number, 1);
  assert.equal(hill.registerDog('Cap', 'y').number, 2);
  assert.deepEqual(valley.allDogs().map((dog) => dog.name), ['Fly', 'Moss']);
  assert.deepEqual(hill.allDogs().map((dog) => dog.name), ['Fly', 'Cap']);
  hill.registerDog('Jed', 'y');
  assert.throws(() => valley.findDog(3), /no dog 3/);
  assert.throws(() => valley.enterRun(3, { seconds: 4 }), /no dog 3/);
  assert.equal(kelpie.allDogs().length, 0);
});

test('runs, handicaps and standings', () => {
  const [valley, hill] = [createLeague(), createLeague()];
  valley.registerDog('Fly', 'x');
  hill.registerDog('Cap', 'x');
  assert.equal(valley.enterRun(1, { pen: 10, seconds: 50 }), 90);
  assert.equal(valley.handicap(1), 5);
  assert.equal(hill.handicap(1), 0);
  hill.enterRun(1, { pen: 40, seconds: 70 });
  assert.equal(hill.handicap(1), 20);
  assert.equal(valley.handicap(1), 5);
  assert.deepEqual(valley.standings(), [
    { number: 1, name: 'Fly', runs: 1, total: 90, handicap: 5, seconds: 50 },
  ]);
  assert.deepEqual(hill.standings(), [
    { number: 1, name: 'Cap', runs: 1, total: 60, handicap: 20, seconds: 70 },
  ]);
});

test('listeners', () => {
  const [valley, hill] = [createLeague(), createLeague()];
  const told = [];
  const listener = (dog) => told.push(`valley ${dog.name}`);
  valley.on('dog', listener);
  hill.on('dog', (dog) => told.push(`hill ${dog.name}`));
  hill.on('run', ({ dog, points }) => told.push(`${dog.name} ${points}`));
  hill.on('reset', () => told.push('hill reset'));
  valley.registerDog('Fly', 'x');
  hill.registerDog('Cap', 'x');
  hill.off('dog', listener);
  valley.registerDog('Moss', 'x');
  valley.enterRun(1, { seconds: 5 });
  hill.enterRun(1, { seconds: 5 });
  valley.reset();
  hill.reset();
  assert.deepEqual(told, ['valley Fly', 'hill Cap', 'valley Moss', 'Cap 100', 'hill reset']);
});

test('rules, the nested ones too', () => {
  const [valley, hill] = [createLeague(), createLeague()];
  for (const league of [valley, hill]) {
    league.registerDog('Fly', 'x');
    league.enterRun(1, { pen: 10, seconds: 50 });
  }
  hill.rules.penalties.pen = 3;
  hill.rules.maxPoints = 110;
  assert.equal(hill.handicap(1), 15);
  assert.equal(hill.standings()[0].total, 80);
  assert.equal(valley.handicap(1), 5);
  assert.equal(valley.standings()[0].total, 90);
  assert.deepEqual(valley.rules, BUILT_IN);
  assert.deepEqual(kelpie.rules, BUILT_IN);
  assert.deepEqual(createLeague().rules, BUILT_IN);
});

test('rules that were given', () => {
  const given = { timeLimit: 900, penalties: { pen: 2 } };
  const hill = createLeague({ rules: given });
  assert.deepEqual(hill.rules, {
    ...BUILT_IN,
    timeLimit: 900,
    penalties: { ...BUILT_IN.penalties, pen: 2 },
  });
  hill.registerDog('Cap', 'x');
  assert.equal(hill.enterRun(1, { pen: 5, lift: 1, seconds: 900 }), 89);
  assert.equal(hill.enterRun(1, { seconds: 901 }), 0);
  hill.rules.penalties.pen = 7;
  assert.deepEqual(given, { timeLimit: 900, penalties: { pen: 2 } });
  assert.deepEqual(createLeague({ rules: given }).rules.penalties.pen, 2);
});

test('built in means built in, whatever a plugin did to the default league', () => {
  kelpie.rules.penalties.pen = 2;
  kelpie.rules.best = 3;
  try {
    assert.deepEqual(createLeague().rules, BUILT_IN);
    assert.deepEqual(createLeague({ rules: { maxPoints: 50 } }).rules, { ...BUILT_IN, maxPoints: 50 });
  } finally {
    kelpie.rules.penalties.pen = 1;
    kelpie.rules.best = 4;
  }
});

test('taken apart', () => {
  const { registerDog, enterRun, standings, save, restore, reset, handicap, on, allDogs, findDog, off } =
    createLeague();
  const told = [];
  const listener = () => told.push('run');
  on('run', listener);
  registerDog('Fly', 'x');
  enterRun(1, { pen: 10, seconds: 50 });
  off('run', listener);
  enterRun(1, { pen: 10, seconds: 50 });
  const season = save();
  reset();
  assert.deepEqual(allDogs(), []);
  restore(season);
  assert.equal(findDog(1).name, 'Fly');
  assert.equal(handicap(1), 5);
  assert.equal(standings()[0].total, 180);
  assert.deepEqual(told, ['run']);
});

test('a season goes from one league to the other', () => {
  const [valley, hill] = [createLeague(), createLeague()];
  valley.registerDog('Fly', 'x');
  valley.registerDog('Moss', 'x');
  valley.enterRun(2, { pen: 10, seconds: 50 });
  hill.registerDog('Cap', 'x');
  const season = valley.save();
  hill.restore(season);
  assert.equal(hill.handicap(2), 5);
  hill.enterRun(2, { pen: 30, seconds: 50 });
  assert.equal(hill.registerDog('Jed', 'x').number, 3);
  assert.deepEqual(valley.save(), season);
  assert.equal(valley.handicap(2), 5);
  hill.reset();
  assert.deepEqual(valley.save(), season);
});

test('league.js can be the first import', async () => {
  const program = `const { createLeague } = await import('./lib/league.js');
    const k = await import('./lib/index.js');
    createLeague().registerDog('Fly', 'x');
    k.registerDog('Moss', 'x'); console.log(k.allDogs().length);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.equal(out, '1\n');
});
