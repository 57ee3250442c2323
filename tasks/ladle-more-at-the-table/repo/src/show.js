import { amountText } from './amount.js';
import { stepParts } from './parse.js';

export function showRecipe(recipe) {
  const lines = [recipe.title, '='.repeat(recipe.title.length)];
  if (recipe.about.serves) lines.push(`Serves ${recipe.about.serves}`);
  if (recipe.about.from) lines.push(`From ${recipe.about.from}`);
  lines.push('');
  for (const { amount, item } of recipe.ingredients) lines.push(`  ${worded(amount, item)}`);
  lines.push('');
  recipe.steps.forEach((step, place) => lines.push(`${place + 1}. ${stepText(step)}`));
  return lines.join('\n');
}

function worded(amount, rest) {
  return [amount ? amountText(amount) : '', rest].filter(Boolean).join(' ');
}

function stepText(step) {
  return stepParts(step)
    .map((part) => (typeof part === 'string' ? part : worded(part.amount, part.rest)))
    .join('');
}
