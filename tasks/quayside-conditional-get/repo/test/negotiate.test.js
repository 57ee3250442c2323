import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseType } from '../src/negotiate.js';

test('the first type that is ours', () => {
  assert.equal(chooseType(undefined), 'application/json');
  assert.equal(chooseType('text/html, */*;q=0.1'), 'application/json');
  assert.equal(chooseType('text/plain, application/json'), 'text/plain');
});

test('a type that is not ours', () => {
  assert.throws(() => chooseType('image/png'), { status: 406 });
});
