import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCoalescer } from '../src/coalesce.js';

test('one flight per key', async () => {
  const coalescer = createCoalescer();
  let started = 0;
  const start = async () => {
    started += 1;
    return started;
  };
  const both = await Promise.all([coalescer.run('k', start), coalescer.run('k', start)]);
  assert.deepEqual(both, [1, 1]);
  assert.equal(coalescer.size, 0);
  assert.equal(await coalescer.run('k', start), 2);
});

test('keys do not wait for each other', async () => {
  const coalescer = createCoalescer();
  const never = coalescer.run('slow', () => new Promise(() => {}));
  assert.equal(await coalescer.run('quick', async () => 'q'), 'q');
  assert.ok(never instanceof Promise);
});
