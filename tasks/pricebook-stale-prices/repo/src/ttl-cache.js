// Values that are good for a while.

export class TtlCache {
  #entries = new Map();
  #ttlMs;
  #now;

  constructor({ ttlMs, now }) {
    this.#ttlMs = ttlMs;
    this.#now = now;
  }

  get size() {
    return this.#entries.size;
  }

  get(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (this.#now() >= entry.expires) {
      this.#entries.delete(key);
      return undefined;
    }
    return entry.value;
  }

  set(key, value) {
    this.#entries.set(key, { value, expires: this.#now() + this.#ttlMs });
  }

  // Drops every key that starts with the prefix; says how many there were.
  deletePrefix(prefix) {
    let count = 0;
    for (const key of this.#entries.keys()) {
      if (key.startsWith(prefix)) {
        this.#entries.delete(key);
        count += 1;
      }
    }
    return count;
  }
}
