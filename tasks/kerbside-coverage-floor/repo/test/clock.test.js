import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, dateText, dayOf, parse, weekdayOf } from '../src/clock.js';

test('a wall-clock time is minutes', () => {
  assert.equal(parse('1970-01-02T00:01'), DAY + 1);
  assert.throws(() => parse('2026-03-02 09:50'), TypeError);
});

test('days and weekdays', () => {
  const monday = dayOf(parse('2026-03-02T09:50'));
  assert.equal(weekdayOf(monday), 1);
  assert.equal(weekdayOf(monday - 1), 0);
  assert.equal(weekdayOf(-1), 3);
  assert.equal(dateText(monday), '2026-03-02');
});
