import assert from 'node:assert/strict';
import { test } from 'node:test';
import { off, on } from '../lib/bus.js';
import { enterRun, handicap, registerDog, reset } from '../lib/index.js';
import { rules } from '../lib/rules.js';

test('told in order, and no longer', () => {
  const told = [];
  const first = () => told.push('first');
  on('dog', first);
  on('dog', (dog) => told.push(dog.name));
  registerDog('Fly', 'x');
  off('dog', first);
  registerDog('Moss', 'x');
  assert.deepEqual(told, ['first', 'Fly', 'Moss']);
});

test('rules are followed from the moment they change', () => {
  reset();
  registerDog('Fly', 'x');
  assert.equal(enterRun(1, { pen: 10, seconds: 5 }), 90);
  assert.equal(handicap(1), 5);
  rules.penalties.pen = 2;
  assert.equal(handicap(1), 10);
  rules.penalties.pen = 1;
});
