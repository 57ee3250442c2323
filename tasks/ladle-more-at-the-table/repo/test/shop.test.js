import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipe } from '../src/parse.js';
import { shoppingList } from '../src/shop.js';

test('added up, fixed ones are not', () => {
  const one = parseRecipe('A\n- 1/3 cup oil\n- 2-3 leeks\n= 1 bay leaf\n- salt');
  const two = parseRecipe('B\n- 2/3 cup oil\n- 1 leek\n= 2 bay leaf\n- salt');
  assert.deepEqual(shoppingList([one, two]), ['2 bay leaf', '1 leek', '3 leeks', '1 cup oil', 'salt']);
});
