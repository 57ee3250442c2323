import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/**
 * @typedef {{seq: number, at: string, by: string, ops: import('./plan.mjs').Op[], meta?: object}} Entry
 */

/** Keeps JSON text rather than objects, so that nobody holds on to what they appended. */
export class MemoryStore {
  #snapshot = 'null';
  #lines = [];

  load() {
    return { snapshot: JSON.parse(this.#snapshot), entries: this.#lines.map((line) => JSON.parse(line)) };
  }

  append(entry) {
    this.#lines.push(JSON.stringify(entry));
  }

  compact(snapshot) {
    this.#snapshot = JSON.stringify(snapshot);
    this.#lines = [];
  }
}

/** First line: `{"snapshot": ...}`, all others: entries. */
export class FileStore {
  constructor(path) {
    this.path = path;
    if (!existsSync(path)) writeFileSync(path, '{"snapshot":null}\n');
  }

  load() {
    const [head, ...entries] = readFileSync(this.path, 'utf8').trimEnd().split('\n');
    return { snapshot: JSON.parse(head).snapshot, entries: entries.map((line) => JSON.parse(line)) };
  }

  append(entry) {
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }

  compact(snapshot) {
    writeFileSync(`${this.path}.new`, `${JSON.stringify({ snapshot })}\n`);
    renameSync(`${this.path}.new`, this.path);
  }
}
