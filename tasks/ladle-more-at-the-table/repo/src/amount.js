// "1 1/2 cups" and back. An amount is { low, high, unit }; low and high are fractions, and
// the same unless it was a range.

import { Fraction } from '../vendor/fractionz/index.js';

// as it is written -> as we print it
const UNITS = new Map([
  ['g', 'g'],
  ['kg', 'kg'],
  ['ml', 'ml'],
  ['l', 'l'],
  ['cup', 'cup'],
  ['cups', 'cup'],
  ['tbsp', 'tbsp'],
  ['tsp', 'tsp'],
  ['pinch', 'pinch'],
  ['pinches', 'pinch'],
]);

const PLURALS = { cup: 'cups', pinch: 'pinches' };

const NUMBER = String.raw`\d+\s+\d+/\d+|\d+/\d+|\d+\.\d+|\d*\s*[½⅓⅔¼¾⅛]|\d+`;
const AMOUNT = new RegExp(`^(?<low>${NUMBER})(?:\\s*[-–]\\s*(?<high>${NUMBER}))?(?=\\s|$)\\s*`);

/** The amount a text begins with, and what is left of it: `{ amount, rest }`. */
export function leadingAmount(text) {
  const found = AMOUNT.exec(text);
  if (!found) return { amount: null, rest: text };
  const low = Fraction.parse(found.groups.low.trim());
  const high = found.groups.high === undefined ? low : Fraction.parse(found.groups.high.trim());
  if (!low || !high) return { amount: null, rest: text };
  const rest = text.slice(found[0].length);
  const word = /^\S+/.exec(rest)?.[0] ?? '';
  const unit = UNITS.get(word) ?? null;
  return { amount: { low, high, unit }, rest: unit ? rest.slice(word.length).trimStart() : rest };
}

export function amountText({ low, high, unit }) {
  const number = low.compare(high) === 0 ? String(low) : `${low}-${high}`;
  if (!unit) return number;
  const many = high.compare(new Fraction(1)) > 0;
  return `${number} ${many ? (PLURALS[unit] ?? unit) : unit}`;
}
