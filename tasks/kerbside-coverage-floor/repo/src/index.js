import { parse } from './clock.js';
import { receipt } from './receipt.js';
import { price } from './tariff.js';
import { zone } from './zones.js';

/** What a session costs: `{ cents, lines }`. */
export function quote({ zone: id, from, to, ...options }) {
  const where = zone(id);
  const result = price(where, parse(from), parse(to), options);
  return { cents: result.cents, lines: receipt(where, result).split('\n') };
}
