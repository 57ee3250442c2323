import { readFileSync } from 'node:fs';

const all = JSON.parse(readFileSync(new URL('../data/zones.json', import.meta.url), 'utf8'));

export function zone(id) {
  if (!Object.hasOwn(all, id)) throw new RangeError(`no zone ${id}`);
  return { id, ...all[id] };
}

export const zoneIds = () => Object.keys(all);
