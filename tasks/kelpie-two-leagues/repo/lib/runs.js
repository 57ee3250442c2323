import { emit } from './bus.js';
import { findDog } from './dogs.js';
import { pointsOf } from './points.js';

let runs = [];

export function enterRun(number, marks) {
  const dog = findDog(number);
  if (!(marks.seconds > 0)) throw new Error('a run takes time');
  const run = { number, ...marks };
  runs.push(run);
  emit('run', { dog, points: pointsOf(run) });
  return pointsOf(run);
}

export function runsOf(number) {
  return runs.filter((run) => run.number === number);
}

export function allRuns() {
  return runs.map((run) => ({ ...run }));
}

export function replaceRuns(list) {
  runs = list.map((run) => ({ ...run }));
}
