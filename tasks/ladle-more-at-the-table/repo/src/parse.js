// docs/format.md

import { leadingAmount } from './amount.js';

const KEY = /^([a-z]+):\s*(.*)$/;

export function parseRecipe(text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const title = lines.shift() ?? '';
  if (!title) throw new SyntaxError('a recipe begins with its title');
  const recipe = { title, about: {}, ingredients: [], steps: [] };
  for (const line of lines) {
    if (!line) continue;
    const key = KEY.exec(line);
    if (/^[-=]\s/.test(line)) {
      recipe.ingredients.push(ingredient(line));
    } else if (key && !recipe.ingredients.length && !recipe.steps.length) {
      recipe.about[key[1]] = key[2];
    } else {
      recipe.steps.push(line);
    }
  }
  return recipe;
}

function ingredient(line) {
  const { amount, rest } = leadingAmount(line.slice(1).trim());
  return { fixed: line.startsWith('='), amount, item: rest };
}

/** `{...}` in a step, as `text, { amount, fixed, rest }, text, ...`. */
export function stepParts(step) {
  return step.split(/(\{[^{}]*\})/).map((part) => {
    if (!part.startsWith('{')) return part;
    const inside = part.slice(1, -1).trim();
    const fixed = inside.startsWith('=');
    const { amount, rest } = leadingAmount(inside.replace(/^=\s*/, ''));
    return { amount, fixed, rest };
  });
}
