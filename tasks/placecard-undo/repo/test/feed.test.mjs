import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedLine } from '../src/feed.mjs';
import { addTable, seat } from './support.mjs';

const entry = (...ops) => ({ seq: 1, at: '2024-05-11T09:12:00Z', by: 'ada', ops });

test('lines of the feed', () => {
  assert.equal(feedLine(entry(seat('Tilda', 'Oak', 3))), '09:12 ada seated Tilda at Oak/3');
  assert.equal(feedLine(entry(addTable('Oak', 6), seat('Tilda', 'Oak', 3))), '09:12 ada added table Oak (6) and 1 more');
});
