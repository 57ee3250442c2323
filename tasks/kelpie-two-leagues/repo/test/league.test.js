import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as kelpie from '../lib/index.js';

const { enterRun, handicap, registerDog, reset, restore, save, standings } = kelpie;

beforeEach(() => reset());

test('a dog is registered once', () => {
  assert.equal(registerDog('Fly', 'M. Aitken').number, 1);
  assert.throws(() => registerDog('Fly', 'M. Aitken'), /registered already/);
  assert.equal(registerDog('Fly', 'J. Rees').number, 2);
});

test('points', () => {
  registerDog('Fly', 'M. Aitken');
  assert.equal(enterRun(1, { outrun: 2, pen: 5, seconds: 410 }), 93);
  assert.equal(enterRun(1, { seconds: 601 }), 0);
  assert.throws(() => enterRun(2, { seconds: 1 }), /no dog 2/);
});

test('the handicap follows the last three runs', () => {
  registerDog('Fly', 'M. Aitken');
  assert.equal(handicap(1), 0);
  for (const pen of [90, 10, 20, 30]) enterRun(1, { pen, seconds: 100 });
  assert.equal(handicap(1), 10);
});

test('standings: best four, then time', () => {
  for (const name of ['Fly', 'Moss', 'Nan']) registerDog(name, 'x');
  for (const pen of [0, 0, 0, 0, 50]) enterRun(1, { pen, seconds: 300 });
  for (let n = 0; n < 4; n++) enterRun(2, { seconds: 300 });
  assert.deepEqual(standings().map((row) => [row.name, row.total]), [
    ['Moss', 400],
    ['Fly', 400],
    ['Nan', 0],
  ]);
});

test('numbers are not given twice', () => {
  registerDog('Fly', 'x');
  const season = save();
  assert.equal(season.next, 2);
  restore({ ...season, dogs: [], next: 2 });
  assert.equal(registerDog('Moss', 'x').number, 2);
});
