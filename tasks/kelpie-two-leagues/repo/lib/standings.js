import { allDogs } from './dogs.js';
import { handicap } from './handicap.js';
import { pointsOf } from './points.js';
import { rules } from './rules.js';
import { runsOf } from './runs.js';

export function standings() {
  const rows = allDogs().map((dog) => {
    const runs = runsOf(dog.number);
    const points = runs.map(pointsOf).sort((a, b) => b - a);
    return {
      number: dog.number,
      name: dog.name,
      runs: runs.length,
      total: points.slice(0, rules.best).reduce((sum, each) => sum + each, 0),
      handicap: handicap(dog.number),
      seconds: runs.reduce((sum, run) => sum + run.seconds, 0),
    };
  });
  return rows.sort((a, b) => b.total - a.total || a.seconds - b.seconds || a.number - b.number);
}
