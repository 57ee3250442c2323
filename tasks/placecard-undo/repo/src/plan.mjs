import { PlanError } from './errors.mjs';

/**
 * @typedef {{table: string, seat: number}} Place
 * @typedef {{tables: Map<string, number>, places: Map<string, Place>, notes: Map<string, string>}} Plan
 * tables: seats of each; places: who sits where; notes: of the guests that have one
 * @typedef {{op: string, [field: string]: any}} Op
 */

/** @returns {Plan} */
export function emptyPlan() {
  return { tables: new Map(), places: new Map(), notes: new Map() };
}

/** @param {Plan} plan */
export function copyPlan(plan) {
  return {
    tables: new Map(plan.tables),
    places: new Map(plan.places),
    notes: new Map(plan.notes),
  };
}

/**
 * @param {Plan} plan
 * @returns {string | undefined} who sits there
 */
export function guestAt(plan, table, seat) {
  for (const [guest, place] of plan.places) {
    if (place.table === table && place.seat === seat) return guest;
  }
  return undefined;
}

function needTable(plan, table) {
  if (!plan.tables.has(table)) throw new PlanError('no-table', `no table "${table}"`);
}

const OPS = {
  addTable(plan, { table, seats }) {
    if (typeof table !== 'string' || table === '') throw new PlanError('bad-op', 'a table needs a name');
    if (!Number.isInteger(seats) || seats < 1 || seats > 12) throw new PlanError('bad-op', '1 to 12 seats');
    if (plan.tables.has(table)) throw new PlanError('table-exists', `there is a table "${table}"`);
    plan.tables.set(table, seats);
  },

  removeTable(plan, { table }) {
    needTable(plan, table);
    plan.tables.delete(table);
    for (const [guest, place] of plan.places) {
      if (place.table === table) plan.places.delete(guest);
    }
  },

  seat(plan, { guest, table, seat }) {
    needTable(plan, table);
    if (!Number.isInteger(seat) || seat < 1 || seat > plan.tables.get(table)) {
      throw new PlanError('no-seat', `${table} has no seat ${seat}`);
    }
    const there = guestAt(plan, table, seat);
    if (there !== undefined && there !== guest) throw new PlanError('taken', `${there} sits there`);
    plan.places.set(guest, { table, seat });
  },

  unseat(plan, { guest }) {
    if (!plan.places.has(guest)) throw new PlanError('no-place', `${guest} has no place`);
    plan.places.delete(guest);
  },

  note(plan, { guest, text }) {
    if (typeof text !== 'string') throw new PlanError('bad-op', 'a note is a text');
    if (text === '') plan.notes.delete(guest);
    else plan.notes.set(guest, text);
  },
};

/**
 * The plan after some operations; the one given stays as it is.
 * @param {Plan} plan
 * @param {Op[]} ops
 * @param {Set<string>} [guests] the guest list, where names have to be on one
 * @throws {PlanError} if one of them cannot be done
 */
export function applyOps(plan, ops, guests) {
  const next = copyPlan(plan);
  for (const op of ops) {
    if (!Object.hasOwn(OPS, op?.op)) throw new PlanError('bad-op', `no operation "${op?.op}"`);
    if ('guest' in op && guests && !guests.has(op.guest)) {
      throw new PlanError('no-guest', `${op.guest} is not invited`);
    }
    OPS[op.op](next, op);
  }
  return next;
}
