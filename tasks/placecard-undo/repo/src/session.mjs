import { PlanError } from './errors.mjs';
import { applyOps } from './plan.mjs';
import { fromSnapshot, toSnapshot } from './snapshot.mjs';

/** One open plan. There is exactly one session for a plan at any time (see deploy notes). */
export class Session {
  #store;
  #now;
  #guests;
  #compactEvery;
  #subscribers = new Set();
  #entries; // since the snapshot

  /**
   * @param {{store: object, guests: Iterable<string>, now?: () => Date, compactEvery?: number}} options
   */
  constructor({ store, guests, now = () => new Date(), compactEvery = 500 }) {
    this.#store = store;
    this.#guests = new Set(guests);
    this.#now = now;
    this.#compactEvery = compactEvery;
    this.locked = false;
    const { snapshot, entries } = store.load();
    this.#entries = entries;
    this.seq = snapshot?.seq ?? 0;
    this.plan = fromSnapshot(snapshot);
    for (const entry of entries) {
      // no guest list here: guests that cancelled later are in old entries
      this.plan = applyOps(this.plan, entry.ops);
      this.seq = entry.seq;
    }
  }

  /** Entries since the last compaction, oldest first. */
  get entries() {
    return [...this.#entries];
  }

  snapshot() {
    return toSnapshot(this.seq, this.plan);
  }

  /** From now on nothing changes; there is no unlock, see docs/decisions.md. */
  lock() {
    this.locked = true;
  }

  /**
   * Tells `listener` each entry from now on.
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#subscribers.add(listener);
    return () => this.#subscribers.delete(listener);
  }

  /**
   * Change the plan: all of `ops` or, with a PlanError, nothing.
   * @param {string} by
   * @param {import('./plan.mjs').Op[]} ops
   * @returns {import('./store.mjs').Entry}
   */
  submit(by, ops) {
    if (this.locked) throw new PlanError('locked', 'the plan is printed already');
    if (!Array.isArray(ops) || ops.length === 0) throw new PlanError('bad-op', 'nothing to do');
    const next = applyOps(this.plan, ops, this.#guests);
    const entry = { seq: this.seq + 1, at: this.#now().toISOString().replace(/\.\d+Z/, 'Z'), by, ops };
    this.#store.append(entry);
    this.plan = next;
    this.seq = entry.seq;
    this.#entries.push(entry);
    for (const listener of this.#subscribers) listener(entry);
    if (this.#entries.length >= this.#compactEvery) {
      this.#store.compact(this.snapshot());
      this.#entries = [];
    }
    return entry;
  }
}
