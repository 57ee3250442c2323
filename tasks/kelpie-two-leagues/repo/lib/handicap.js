import { pointsOf } from './points.js';
import { rules } from './rules.js';
import { runsOf } from './runs.js';

// Remembered by dog, number of runs, and the rules they were computed with.
const known = new Map();

export function handicap(number) {
  const runs = runsOf(number);
  const key = `${number}/${runs.length}/${JSON.stringify(rules)}`;
  if (!known.has(key)) {
    const last = runs.slice(-3).map(pointsOf);
    const mean = last.reduce((sum, points) => sum + points, 0) / (last.length || 1);
    known.set(key, last.length ? Math.round((rules.maxPoints - mean) / 2) : 0);
  }
  return known.get(key);
}

export function forgetHandicaps() {
  known.clear();
}
