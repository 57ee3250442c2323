import { readFileSync } from 'node:fs';
import { createApp } from '../src/app.js';
import { Store } from '../src/store.js';

export const TOKEN = 'pier-pressure';

/** An app on the summer timetable at a time of one's choosing: `board.at('09:12')` moves the clock. */
export function makeBoard(time = '09:00') {
  let current = time;
  const data = readFileSync(new URL('../timetable/summer.json', import.meta.url), 'utf8');
  const store = new Store(JSON.parse(data));
  const lines = [];
  const app = createApp({
    store,
    token: TOKEN,
    now: () => new Date(`2024-07-06T${current}:00`),
    log: (line) => lines.push(line),
  });
  return {
    app,
    lines,
    at(next) {
      current = next;
    },
    get: (url, headers = {}) => app.handle({ method: 'GET', url, headers }),
    head: (url, headers = {}) => app.handle({ method: 'HEAD', url, headers }),
    post: (url, body, headers = {}) =>
      app.handle({ method: 'POST', url, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, body }),
  };
}
