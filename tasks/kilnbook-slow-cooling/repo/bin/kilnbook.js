#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseTime } from '../src/clock.js';
import { energy } from '../src/energy.js';
import { plan } from '../src/plan.js';
import { print } from '../src/print.js';
import { parseProgram } from '../src/program.js';

const KILNS = JSON.parse(readFileSync(new URL('../kilns.json', import.meta.url), 'utf8'));

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      kiln: { type: 'string' },
      start: { type: 'string', default: '08:00' },
      from: { type: 'string', default: '20' },
    },
  });
  const [command, file] = positionals;
  if (command !== 'plan' || !file) throw new Error('usage: kilnbook plan PROGRAM --kiln NAME');
  const kiln = KILNS[values.kiln];
  if (!kiln) throw new Error(`no kiln ${values.kiln}, there are ${Object.keys(KILNS).join(', ')}`);
  const rows = plan(parseProgram(readFileSync(file, 'utf8')), kiln, { from: Number(values.from) });
  console.log(print(rows, energy(rows, kiln), parseTime(values.start)));
}

try {
  main();
} catch (problem) {
  console.error(`kilnbook: ${problem.message}`);
  process.exitCode = 2;
}
