import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountText, leadingAmount } from '../src/amount.js';

const again = (text) => amountText(leadingAmount(text).amount);

test('amounts', () => {
  assert.equal(again('1 1/2 cups milk'), '1 1/2 cups');
  assert.equal(again('½ cup milk'), '1/2 cup');
  assert.equal(again('0.75 l water'), '3/4 l');
  assert.equal(again('2-3 leeks'), '2-3');
  assert.equal(again('1 – 1 1/2 tsp salt'), '1-1 1/2 tsp');
});

test('what is left', () => {
  assert.equal(leadingAmount('500 g flour').rest, 'flour');
  assert.equal(leadingAmount('1 can (400 g) tomatoes').rest, 'can (400 g) tomatoes');
  assert.equal(leadingAmount('salt').amount, null);
  assert.equal(leadingAmount('7up').amount, null);
});
