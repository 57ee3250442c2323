// What the prompt does not want to see at the top level of lib/, default.js apart.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const LIB = fileURLToPath(new URL('../lib', import.meta.url));
const files = readdirSync(LIB, { recursive: true })
  .map(String)
  .filter((name) => /\.m?js$/.test(name) && name !== 'default.js');

// The source without comments, and with strings emptied; then what stands outside all braces.
function bare(source) {
  return source.replace(
    /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (found) => (found.startsWith('/') ? '' : "'x'"),
  );
}

function topLevel(source) {
  let depth = 0;
  let text = '';
  for (const char of bare(source)) {
    if ('}'.includes(char)) depth -= 1;
    if (depth === 0 || (depth === 1 && char === '{')) text += char;
    if ('{'.includes(char)) depth += 1;
  }
  return text;
}

test('lib has the two new files', () => {
  assert.ok(existsSync(join(LIB, 'league.js')));
  assert.ok(existsSync(join(LIB, 'default.js')));
});

for (const [what, pattern] of [
  ['let or var', /(^|[;\s])(export\s+)?(let|var)\s+[\w[{]/],
  ['a new Map, Set, WeakMap or WeakSet', /\bconst\s+\w+\s*=\s*new\s+(Map|Set|WeakMap|WeakSet)\b/],
  ['an empty list', /\bconst\s+\w+\s*=\s*\[\s*\]/],
  ['a league', /(?<!function\s)\bcreateLeague\s*\(/],
]) {
  test(`no ${what} at the top level`, () => {
    const found = files.filter((name) => pattern.test(topLevel(readFileSync(join(LIB, name), 'utf8'))));
    assert.deepEqual(found, []);
  });
}

test('no empty object at the top level', () => {
  const found = files.filter((name) =>
    /^(export\s+)?const\s+\w+\s*=\s*\{\s*\}/m.test(bare(readFileSync(join(LIB, name), 'utf8'))),
  );
  assert.deepEqual(found, []);
});

test('nothing on globalThis', () => {
  const found = files.filter((name) => /\b(globalThis|global)\b/.test(bare(readFileSync(join(LIB, name), 'utf8'))));
  assert.deepEqual(found, []);
});
