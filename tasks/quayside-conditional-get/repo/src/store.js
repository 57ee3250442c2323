import { addMinutes } from './clock.js';

export class Store {
  #sailings;
  #delays = new Map();

  constructor({ piers, sailings }) {
    this.piers = piers;
    this.#sailings = sailings;
    this.notices = [];
    // counts writes, so that the dispatcher can see on /health whether both instances got them
    this.revision = 0;
  }

  hasPier(id) {
    return this.piers.some((pier) => pier.id === id);
  }

  sailings() {
    return this.#sailings.map((sailing) => this.#expected(sailing));
  }

  delay(id, minutes) {
    const sailing = this.#sailings.find((candidate) => candidate.id === id);
    if (!sailing) return null;
    this.#delays.set(id, minutes);
    this.revision += 1;
    return this.#expected(sailing);
  }

  #expected(sailing) {
    const delay = this.#delays.get(sailing.id) ?? 0;
    return { ...sailing, delay, expected: addMinutes(sailing.time, delay) };
  }
}
