// Runs the tests with coverage and compares every file below src/ with the floors of
// package.json. Node 20 measures, but has no thresholds of its own.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const { coverage } = JSON.parse(readFileSync('package.json', 'utf8'));
const run = spawnSync(
  process.execPath,
  ['--test', '--experimental-test-coverage', '--test-reporter=tap'],
  { encoding: 'utf8' },
);
if (run.status !== 0) {
  process.stdout.write(run.stdout);
  console.error('gate: tests fail');
  process.exit(1);
}

// `# tariff.js | 61.54 | 40.00 | 33.33 | 12-15`; older 20s print `src/tariff.js`
const row = /^#\s+(?<file>[^|]+?)\s*\|\s*(?<lines>[\d.]+)\s*\|\s*(?<branches>[\d.]+)\s*\|/;
const seen = new Map();
for (const line of run.stdout.split('\n')) {
  const found = row.exec(line)?.groups;
  if (found) seen.set(found.file.split('/').pop(), found);
}

let red = 0;
for (const file of readdirSync(coverage.files).filter((name) => name.endsWith('.js'))) {
  const found = seen.get(file) ?? { lines: 0, branches: 0 };
  const fine = +found.lines >= coverage.lines && +found.branches >= coverage.branches;
  if (!fine) red += 1;
  console.log(
    `${fine ? 'ok  ' : 'LOW '} ${coverage.files}/${file}  lines ${found.lines}  branches ${found.branches}`,
  );
}
if (red) console.error(`gate: ${red} below ${coverage.lines} % lines / ${coverage.branches} % branches`);
process.exit(red ? 1 : 0);
