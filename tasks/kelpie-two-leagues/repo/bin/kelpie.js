#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import '../plugins/announcer.js';
import { restore, standings } from '../lib/index.js';

restore(JSON.parse(readFileSync(process.argv[2], 'utf8')));
for (const row of standings()) {
  console.log(`${String(row.total).padStart(4)}  ${row.name}  (${row.handicap})`);
}
