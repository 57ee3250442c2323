#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { createApp } from '../src/app.js';
import { createServer } from '../src/server.js';
import { Store } from '../src/store.js';

const file = process.env.TIMETABLE ?? new URL('../timetable/summer.json', import.meta.url);
const store = new Store(JSON.parse(readFileSync(file, 'utf8')));
const app = createApp({ store, token: process.env.QUAYSIDE_TOKEN });
const port = Number(process.env.PORT ?? 8080);

createServer(app).listen(port, () => console.error(`quayside on port ${port}`));
