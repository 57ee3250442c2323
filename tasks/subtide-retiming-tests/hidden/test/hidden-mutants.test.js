// The tests that were written: green on right code, red on each planted fault.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { MUTANTS, planted } from '../mutation/mutants.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RIGHT = readFileSync(join(ROOT, 'mutation/right.js.txt'), 'utf8');
const PORTED = readFileSync(join(ROOT, 'mutation/ported.js.txt'), 'utf8');
const LEFT_OUT = new Set(['mutation', '.git', 'node_modules', 'hidden-mutants.test.js']);

const base = mkdtempSync(join(tmpdir(), 'subtide-'));
after(() => rmSync(base, { recursive: true, force: true }));

function copyWith(source, number) {
  const folder = join(base, String(number));
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  writeFileSync(join(folder, 'src/retime.js'), source);
  return folder;
}

function exitCode(source, number) {
  const folder = copyWith(source, number);
  const { NODE_TEST_CONTEXT, ...env } = process.env; // else the inner runner takes itself for ours
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['test/retime.test.js'], {
      cwd: folder,
      env,
      stdio: 'ignore',
      timeout: 30_000,
    });
    child.on('close', (code) => resolve(code));
  });
}

const sources = new Map([['right', RIGHT], ['ported', PORTED], ...planted(RIGHT)]);
const codes = new Map();
if (existsSync(join(ROOT, 'test/retime.test.js'))) {
  const waiting = [...sources];
  const worker = async () => {
    for (let job = waiting.pop(); job; job = waiting.pop()) {
      codes.set(job[0], await exitCode(job[1], waiting.length));
    }
  };
  await Promise.all([worker(), worker()]);
}

function ran() {
  assert.ok(codes.size > 0, 'there is no test/retime.test.js');
}

for (const name of ['right', 'ported']) {
  test(`green on ${name} code`, () => {
    ran();
    assert.equal(codes.get(name), 0);
  });
}

for (const [name] of MUTANTS) {
  test(`red on a fault, ${name}`, () => {
    ran();
    assert.equal(codes.get('right'), 0, 'not green on the right code');
    assert.equal(codes.get(name), 1);
  });
}
