export { allDogs, findDog, registerDog } from './dogs.js';
export { handicap } from './handicap.js';
export { enterRun } from './runs.js';
export { standings } from './standings.js';
export { reset, restore, save } from './snapshot.js';
export { off, on } from './bus.js';
export { rules } from './rules.js';
