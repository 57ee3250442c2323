import { rules } from './rules.js';

// Points of one run. Out of time is nothing at all, not a penalty.
export function pointsOf(run) {
  if (run.seconds > rules.timeLimit) return 0;
  let points = rules.maxPoints;
  for (const [phase, weight] of Object.entries(rules.penalties)) {
    points -= (run[phase] ?? 0) * weight;
  }
  return Math.max(0, points);
}
