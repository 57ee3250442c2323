import { Session } from '../src/session.mjs';
import { MemoryStore } from '../src/store.mjs';

export const GUESTS = ['Mr Brown', 'Dr Lund', 'Ms Adeyemi', 'Old Per', 'Tilda'];

export function openSession({ store = new MemoryStore(), ...options } = {}) {
  return new Session({ store, guests: GUESTS, now: () => new Date('2024-05-11T09:12:00Z'), ...options });
}

export const addTable = (table, seats = 8) => ({ op: 'addTable', table, seats });
export const seat = (guest, table, number) => ({ op: 'seat', guest, table, seat: number });
