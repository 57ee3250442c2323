#!/usr/bin/env node
import { FileStore } from '../src/store.mjs';
import { Session } from '../src/session.mjs';
import { feedLine } from '../src/feed.mjs';

const [command, path] = process.argv.slice(2);
if (!path || !['show', 'feed'].includes(command)) {
  console.error('usage: placecard show|feed FILE');
  process.exit(2);
}
const session = new Session({ store: new FileStore(path), guests: [] });
if (command === 'feed') {
  for (const entry of session.entries) console.log(feedLine(entry));
} else {
  const { places } = session.snapshot();
  for (const [guest, table, seat] of places) console.log(`${table}/${seat}\t${guest}`);
}
