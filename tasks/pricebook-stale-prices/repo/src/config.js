import { readFileSync } from 'node:fs';

const folder = new URL('../config/', import.meta.url);

const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

export function loadConfig(env = process.env) {
  const base = read('default');
  const over = env.NODE_ENV === 'production' ? read('production') : {};
  return { ...base, ...over, erp: { ...base.erp, ...over.erp } };
}
