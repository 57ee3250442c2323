// Runs the tests against the right tariff, then against tariffs that break one sentence of
// docs/tariff.md each. Exits 0 if the right one passes and each broken one is noticed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// Test files as they were at the start: none of them notices any of these faults.
const OLD = new Set([
  '9ad9c25820bdcf58259bf92cb6e5139e891caec9956f8474a1aeb48376d0fe44', // test/clock.test.js
  '3d16e2dbaaafe55a74e2dd1a1faf952a8f7531749066c5a50cd985391458bd82', // test/index.test.js
  '2b5e1c28557c86206f09ae135237e89246e794d7dba63f7f9445bb14d70270d8', // test/receipt.test.js
  '477f5a9e96f1e97cb2707438fe83efef937c2787276efab764f80e8147e8de6f', // test/zones.test.js
]);

const ELECTRIC = 'if (electric) days = without(days, ELECTRIC_MINUTES);';
const HALF = 'let cents = sum(charged);\n  if (resident === zone.id) cents = Math.floor(cents / 2); // T5';

const BROKEN = [
  ['T1 Sundays are paid', 'if (weekdayOf(day) === 0) continue;', ''],
  ['T1 Saturdays are free', 'weekdayOf(day) === 0)', 'weekdayOf(day) % 6 === 0)'],
  ['T1 until 21:00', 'CLOSES = 20 * 60', 'CLOSES = 21 * 60'],
  ['T2 fifteen minutes cost', 'sum(days) <= FREE_MINUTES', 'sum(days) < FREE_MINUTES'],
  ['T2 the sixteenth is free', 'sum(days) <= FREE_MINUTES', 'sum(days) <= FREE_MINUTES + 1'],
  ['T2 free minutes are taken off', ELECTRIC, `days = without(days, FREE_MINUTES);\n  ${ELECTRIC}`],
  ['T3 units start again each day', 'minutes - running);\n    const', 'minutes);\n    const'],
  ['T4 the maximum is for the session', 'let cents = sum(charged);', 'let cents = Math.min(sum(charged), zone.dayMax);'],
  ['T5 residents of other zones too', 'resident === zone.id', 'resident'],
  ['T5 rounded up', 'Math.floor(cents / 2)', 'Math.ceil(cents / 2)'],
  [
    'T5 before the maximum',
    HALF,
    'let cents = sum(charged);\n  if (resident === zone.id) cents = sum(perDay({ ...zone, dayMax: zone.dayMax * 2 }, days)) >> 1;',
  ],
  ['T6 the day after midnight counts', 'day <= dayOf(to - 1)', 'day <= dayOf(to)'],
  ['T6 the maximum only once', 'return { cents: sum(days), days };', 'return { cents: zone.dayMax, days };'],
  ['T7 T2 is looked at afterwards', ELECTRIC, `${ELECTRIC}\n  if (sum(days) <= FREE_MINUTES) return { cents: 0, days: [] };`],
  ['T7 the minutes each day', 'minutes -= off;', ''],
  ['T8 fourteen days are too long', 'to - from > LONGEST', 'to - from >= LONGEST'],
  ['T8 any length', "if (to - from > LONGEST) throw new RangeError('longer than 14 days');", ''],
];

const NAMED = /^(test|test-.*|.*[._-]test)\.[cm]?js$/;

function* testFiles(folder, inside = false) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', '.git'].includes(entry.name)) yield* testFiles(path, inside || entry.name === 'test');
    } else if (NAMED.test(entry.name) || (inside && /\.[cm]?js$/.test(entry.name))) {
      yield path;
    }
  }
}

function run(cwd, ...args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', timeout: 30_000 });
    child.on('close', (code) => done(code === 0));
    child.on('error', () => done(null));
  });
}

/** Whether all of the new tests pass. A test file that is run by itself exits as `node --test` does. */
async function green(cwd) {
  for (const file of fresh) if (!(await run(cwd, file))) return false;
  return true;
}

const here = process.cwd();
const source = readFileSync('src/tariff.js', 'utf8');
const hash = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
const fresh = [...testFiles(here)].filter((path) => !OLD.has(hash(path))).map((path) => relative(here, path));
if (!fresh.length) {
  console.log('no new tests');
  process.exit(1);
}
if (!(await run(here, '--test'))) {
  console.log('the tests fail on the right tariff');
  process.exit(1);
}

// The same tariff, written a little differently, has to pass: tests are about prices, not about text.
const SAME = source.replaceAll('running', 'leftOver').replaceAll('charged', 'due') + '\n// reviewed\n';

const missed = [];
const queue = [...BROKEN];
async function worker() {
  const copy = mkdtempSync(join(tmpdir(), 'kerbside-'));
  cpSync(here, copy, { recursive: true, filter: (path) => !path.includes('node_modules') });
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [name, right, wrong] = next;
    if (source.split(right).length !== 2) throw new Error(`src/tariff.js was changed: ${name}`);
    writeFileSync(join(copy, 'src/tariff.js'), source.replace(right, () => wrong));
    if (await green(copy)) missed.push(name);
  }
  rmSync(copy, { recursive: true, force: true });
}
async function tidied() {
  const copy = mkdtempSync(join(tmpdir(), 'kerbside-'));
  cpSync(here, copy, { recursive: true, filter: (path) => !path.includes('node_modules') });
  writeFileSync(join(copy, 'src/tariff.js'), SAME);
  if (!(await green(copy))) {
    console.log('the tests fail on the right tariff with other names in it');
    process.exit(1);
  }
  rmSync(copy, { recursive: true, force: true });
}
await tidied();
await Promise.all([worker(), worker()]);
console.log(`${BROKEN.length - missed.length} of ${BROKEN.length} broken tariffs noticed`);
for (const name of missed) console.log(`not noticed: ${name}`);
process.exit(missed.length ? 1 : 0);
