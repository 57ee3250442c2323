// One list for several recipes. The same thing in the same unit is added up; of fixed things
// (=) the biggest is taken.

import { amountText } from './amount.js';

export function shoppingList(recipes) {
  const entries = new Map();
  for (const { ingredients } of recipes) {
    for (const { amount, item, fixed } of ingredients) {
      const key = `${item}|${amount?.unit ?? ''}|${amount === null}`;
      const before = entries.get(key);
      const high = amount && { ...amount, low: amount.high };
      if (!before) entries.set(key, { item, amount: high });
      else if (high && fixed) before.amount = bigger(before.amount, high);
      else if (high) before.amount = plus(before.amount, high);
    }
  }
  return [...entries.values()]
    .sort((a, b) => a.item.localeCompare(b.item, 'en'))
    .map(({ item, amount }) => (amount ? `${amountText(amount)} ${item}` : item));
}

const bigger = (a, b) => (a.high.compare(b.high) >= 0 ? a : b);

function plus(a, b) {
  const sum = a.high.add(b.high);
  return { ...a, low: sum, high: sum };
}
