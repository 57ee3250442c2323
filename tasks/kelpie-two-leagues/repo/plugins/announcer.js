// The screen in the tent. Not ours, copied here as an example of what is out there.
import { on } from '../lib/bus.js';

on('run', ({ dog, points }) => {
  if (process.env.KELPIE_TENT) console.log(`${dog.name}: ${points}`);
});
