import { emit } from './bus.js';
import { allDogs, nextDogNumber, replaceDogs } from './dogs.js';
import { forgetHandicaps } from './handicap.js';
import { allRuns, replaceRuns } from './runs.js';

export function save() {
  return { dogs: allDogs().map((dog) => ({ ...dog })), runs: allRuns(), next: nextDogNumber() };
}

// Numbers are never given twice, also after the dog with the highest one has left.
export function restore(season) {
  const highest = Math.max(0, ...season.dogs.map((dog) => dog.number));
  replaceDogs(season.dogs, Math.max(season.next ?? 1, highest + 1));
  replaceRuns(season.runs);
  forgetHandicaps();
}

export function reset() {
  restore({ dogs: [], runs: [] });
  emit('reset');
}
