import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRecipe, stepParts } from '../src/parse.js';

const PIE = 'Pie\nserves: 4\n\n- 500 g flour\n= 1 bay leaf\n- salt\n\nMix: well.\nBake.';

test('a recipe', () => {
  const recipe = parseRecipe(PIE);
  assert.equal(recipe.title, 'Pie');
  assert.deepEqual(recipe.about, { serves: '4' });
  assert.deepEqual(recipe.ingredients.map(({ item, fixed }) => [item, fixed]), [
    ['flour', false],
    ['bay leaf', true],
    ['salt', false],
  ]);
  assert.deepEqual(recipe.steps, ['Mix: well.', 'Bake.']);
});

test('braces', () => {
  const [before, part, after] = stepParts('Boil in {=2 l} water');
  assert.deepEqual([before, part.fixed, part.amount.unit, after], ['Boil in ', true, 'l', ' water']);
});

test('nothing', () => {
  assert.throws(() => parseRecipe(''), SyntaxError);
});
