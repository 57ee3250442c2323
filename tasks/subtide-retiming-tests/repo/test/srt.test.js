import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readSrt, writeSrt } from '../src/index.js';

const river = readFileSync(new URL('../samples/river.srt', import.meta.url), 'utf8');

test('what the distributors send', () => {
  const cues = readSrt(river);
  assert.deepEqual(cues.map((cue) => [cue.start, cue.end]), [
    [8000, 9500],
    [12040, 14000],
    [14020, 16500],
  ]);
  assert.equal(cues[2].text, '- At the river.\n- All night?');
});

test('written and read again', () => {
  assert.deepEqual(readSrt(writeSrt(readSrt(river))), readSrt(river));
});

test('a block without times', () => {
  assert.throws(() => readSrt('1\nhello\n'), /no times/);
});
