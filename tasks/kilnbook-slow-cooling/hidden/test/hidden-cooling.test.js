// Down takes time and costs nothing; up is as it was.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { energy } from '../src/energy.js';
import { plan } from '../src/plan.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KILN = { kw: 10, fast: 300 };

const step = (rate, target, hold = 0) => ({ rate, target, hold });
const times = (steps, options) =>
  plan(steps, KILN, options).map(({ ramp, hold, end }) => [ramp, hold, end]);
const kwh = (steps, options) => energy(plan(steps, KILN, options), KILN);
const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);

function cli(program, ...options) {
  const out = execFileSync(
    process.execPath,
    ['bin/kilnbook.js', 'plan', `programs/${program}.txt`, ...options],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return out.trim().split('\n').map((line) => line.trim());
}

test('minutes on the way down', () => {
  assert.deepEqual(times([step(620, 1260), step(200, 1100, 120), step(50, 1050, 30)]), [
    [120, 0, 120],
    [48, 120, 288],
    [60, 30, 378],
  ]);
});

test('what goes up after a way down comes later', () => {
  assert.deepEqual(times([step(100, 120), step(50, 70), step(100, 170, 5), step(100, 70)]), [
    [60, 0, 60],
    [60, 0, 120],
    [60, 5, 185],
    [60, 0, 245],
  ]);
});

test('fast downwards', () => {
  assert.deepEqual(times([step(null, 920), step(null, 470, 10)]), [
    [180, 0, 180],
    [90, 10, 280],
  ]);
});

test('a kiln that is started hot', () => {
  assert.deepEqual(times([step(100, 100, 20)], { from: 300 }), [[120, 20, 140]]);
  assert.deepEqual(times([step(null, 300)], { from: 600 }), [[60, 0, 60]]);
});

test('no power on the way down', () => {
  near(kwh([step(100, 120)]), 8);
  near(kwh([step(100, 120), step(50, 20)]), 8);
  near(kwh([step(100, 120), step(null, 20)]), 8);
  near(kwh([step(100, 100)], { from: 300 }), 0);
});

test('power while it holds further down', () => {
  near(kwh([step(100, 120), step(50, 70, 60)]), 8 + 3.5);
  near(kwh([step(100, 120, 60), step(50, 70, 120), step(50, 120, 0)]), 8 + 3.5 + 7 + 8);
});

test('the program of the report', () => {
  const lines = cli('crystal', '--kiln', 'grete');
  assert.equal(lines.length, 6);
  assert.match(lines[2], /^1260 -> 1100 +0:48 hold +2:00 +17:02$/);
  assert.match(lines[3], /^1100 -> 1050 +1:00 hold +0:30 +18:32$/);
  assert.equal(lines[4], 'ready 18:32');
  // 364 minutes up, 160 of holding, 11 kW
  assert.equal(lines[5], '63.7 kWh');
});

test('past midnight on the way down', () => {
  const lines = cli('crystal', '--kiln', 'grete', '--start', '17:00');
  assert.match(lines[2], /02:02 \+1$/);
  assert.equal(lines[4], 'ready 03:32 +1');
});

test('bisque and plain glaze', () => {
  assert.deepEqual(cli('bisque', '--kiln', 'lotte'), [
    '20 -> 120     1:40 hold  1:00  10:40',
    '120 -> 600     4:48 hold  0:00  15:28',
    '600 -> 1000    2:40 hold  0:10  18:18',
    'ready 18:18',
    '55.5 kWh',
  ]);
  assert.deepEqual(cli('glaze-1240', '--kiln', 'tiny', '--from', '150').slice(-2), [
    'ready 12:51',
    '9.0 kWh',
  ]);
});
