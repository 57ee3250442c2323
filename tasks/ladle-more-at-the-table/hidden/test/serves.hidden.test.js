// --serves, through main() only.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { main } from '../src/cli.js';

const folder = mkdtempSync(join(tmpdir(), 'ladle-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;

function file(text) {
  const path = join(folder, `recipe-${++count}.txt`);
  writeFileSync(path, text);
  return path;
}

function ladle(...argv) {
  const out = [];
  const code = main(argv, { out: (line) => out.push(line), err: () => {} });
  return { code, out: out.join('\n') };
}

function show(text, serves) {
  const { code, out } = ladle('show', file(text), '--serves', String(serves));
  assert.equal(code, 0);
  return out;
}

/** Ingredient lines of a recipe that is for `from`, made for `to`. */
function ingredients(from, to, ...lines) {
  const out = show(['Dish', `serves: ${from}`, '', ...lines, '', 'Cook.'].join('\n'), to);
  return out.split('\n').filter((line) => line.startsWith('  ')).map((line) => line.trim());
}

const shop = (serves, ...texts) => ladle('shop', ...texts.map(file), '--serves', String(serves));

const PIE = `Leek pie
serves: 4
from: Oma Trude

- 500 g flour
- 1 1/2 cups milk
- 2-3 leeks
- 1 can (400 g) tomatoes
- 1/3 cup oil
= 1 bay leaf
- salt

Rub the flour with {1/3 cup} oil, add {1/2 cup} of the milk.
Boil the leeks in {=2 l} water, 10 minutes.
Bake at 180 degrees for 40 minutes.
`;

test('six instead of four', () => {
  assert.equal(
    show(PIE, 6),
    `Leek pie
========
Serves 6 (recipe: 4)
From Oma Trude

  750 g flour
  2 1/4 cups milk
  3-4 1/2 leeks
  1 1/2 can (400 g) tomatoes
  1/2 cup oil
  1 bay leaf
  salt

1. Rub the flour with 1/2 cup oil, add 3/4 cup of the milk.
2. Boil the leeks in 2 l water, 10 minutes.
3. Bake at 180 degrees for 40 minutes.`,
  );
});

test('the same number', () => {
  assert.match(show(PIE, 4), /^Serves 4 \(recipe: 4\)$/m);
  assert.deepEqual(ingredients(4, 4, '- 1/3 cup oil', '- 2-3 leeks'), ['1/3 cup oil', '2-3 leeks']);
});

test('a range of people counts from the lower number', () => {
  const out = show('Cake\nserves: 6-8\n\n- 300 g flour\n\nBake.', 3);
  assert.match(out, /^Serves 3 \(recipe: 6-8\)$/m);
  assert.match(out, /^ {2}150 g flour$/m);
});

test('grams and millilitres are whole, half-way is up', () => {
  assert.deepEqual(ingredients(4, 2, '- 125 g butter', '- 123 g rice', '- 5 ml vinegar'), ['63 g butter', '62 g rice', '3 ml vinegar']);
  assert.deepEqual(ingredients(7, 3, '- 100 g butter', '- 10 ml oil'), ['43 g butter', '4 ml oil']);
});

test('eighths for the rest, half-way is up', () => {
  assert.deepEqual(ingredients(4, 1, '- 1 1/4 tsp salt', '- 3/4 tsp pepper', '- 1 kg plums'), ['3/8 tsp salt', '1/4 tsp pepper', '1/4 kg plums']);
  assert.deepEqual(ingredients(5, 2, '- 1 cup milk', '- 3 eggs', '- 2 l water'), ['3/8 cup milk', '1 1/4 eggs', '3/4 l water']);
  assert.deepEqual(ingredients(7, 9, '- 1 cup milk'), ['1 1/4 cups milk']);
});

test('halves, thirds, quarters and eighths stay', () => {
  assert.deepEqual(ingredients(3, 2, '- 1 cup milk', '- 4 eggs', '- 1/2 l stock'), ['2/3 cup milk', '2 2/3 eggs', '1/3 l stock']);
  assert.deepEqual(ingredients(4, 2, '- 1/4 tsp salt', '- 3/4 cup sugar', '- 1 egg'), ['1/8 tsp salt', '3/8 cup sugar', '1/2 egg']);
  assert.deepEqual(ingredients(4, 2, '- 1/3 cup oil'), ['1/8 cup oil']);
});

test('nothing becomes nothing', () => {
  assert.deepEqual(ingredients(100, 1, '- 2 g saffron', '- 1 ml rum', '- 1 tsp salt', '- 1 egg'), ['1 g saffron', '1 ml rum', '1/8 tsp salt', '1/8 egg']);
});

test('both ends of a range', () => {
  assert.deepEqual(ingredients(2, 3, '- 1-2 leeks', '- 100-150 g peas'), ['1 1/2-3 leeks', '150-225 g peas']);
  assert.deepEqual(ingredients(40, 1, '- 2-3 leeks', '- 20-21 g peas'), ['1/8 leeks', '1 g peas']);
});

test('the word for the unit follows the number', () => {
  assert.deepEqual(ingredients(1, 2, '- 1 cup milk', '- 1 pinch salt'), ['2 cups milk', '2 pinches salt']);
  assert.deepEqual(ingredients(2, 1, '- 2 cups milk'), ['1 cup milk']);
});

test('fixed things are left alone, in steps too', () => {
  const out = show('Pasta\nserves: 2\n\n= 1/5 l wine\n= 0.3 g saffron\n- 200 g pasta\n\nBoil {200 g} in {=2 l} water, {= 1/7 tsp} salt.', 5);
  assert.match(out, /^ {2}1\/5 l wine$/m);
  assert.match(out, /^ {2}3\/10 g saffron$/m);
  assert.match(out, /^1\. Boil 500 g in 2 l water, 1\/7 tsp salt\.$/m);
});

test('shop scales every recipe', () => {
  const { code, out } = shop(6, PIE, 'Cake\nserves: 3-4\n\n- 100 g flour\n- 1 egg\n= 2 bay leaf\n\nBake.');
  assert.equal(code, 0);
  assert.deepEqual(out.split('\n'), [
    '2 bay leaf',
    '1 1/2 can (400 g) tomatoes',
    '2 egg',
    '950 g flour',
    '4 1/2 leeks',
    '2 1/4 cups milk',
    '1/2 cup oil',
    'salt',
  ]);
});

test('shop rounds sums', () => {
  const part = (grams) => `A\nserves: 2\n\n- ${grams} g butter\n- 1/5 cup oil\n\nMix.`;
  // 62.5 + 62.5 and 1/10 + 1/10
  assert.deepEqual(shop(1, part(125), part(125)).out.split('\n'), ['125 g butter', '1/4 cup oil']);
  // 0.5 + 0.5 + 0.5
  assert.equal(shop(1, part(1), part(1), part(1)).out.split('\n')[0], '2 g butter');
});

test('shop leaves fixed things alone', () => {
  assert.equal(shop(3, 'A\nserves: 2\n\n= 1/5 l wine\n\nMix.', 'B\nserves: 1\n\n= 1/7 l wine\n\nMix.').out, '1/5 l wine');
});

test('recipes that cannot be scaled', () => {
  for (const head of ['', 'serves: many\n', 'serves: 0\n']) {
    const path = file(`Jam\n${head}\n- 1 kg plums\n\nBoil.`);
    const shown = ladle('show', path, '--serves', '2');
    assert.deepEqual([shown.code, shown.out], [1, '']);
    const shopped = ladle('shop', file(PIE), path, '--serves', '2');
    assert.deepEqual([shopped.code, shopped.out], [1, '']);
  }
});

test('numbers of people that are none', () => {
  for (const value of ['0', '-2', '2.5', 'six']) {
    assert.equal(ladle('show', file(PIE), `--serves=${value}`).code, 2, value);
    assert.equal(ladle('shop', file(PIE), `--serves=${value}`).code, 2, value);
  }
});

test('without --serves nothing changes', () => {
  const odd = file('Odd\n\n- 1/7 cup oil\n- 0.3 g saffron\n\nMix {3/5 l}.');
  assert.equal(ladle('show', odd).out, 'Odd\n===\n\n  1/7 cup oil\n  3/10 g saffron\n\n1. Mix 3/5 l.');
  assert.equal(ladle('shop', odd, odd).out, '2/7 cup oil\n3/5 g saffron');
  assert.match(ladle('show', file(PIE)).out, /^Serves 4$/m);
});
