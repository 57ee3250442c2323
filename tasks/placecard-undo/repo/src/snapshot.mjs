import { emptyPlan } from './plan.mjs';

/** @param {import('./plan.mjs').Plan} plan */
export function toSnapshot(seq, plan) {
  return {
    seq,
    tables: [...plan.tables].sort(),
    places: [...plan.places].map(([guest, { table, seat }]) => [guest, table, seat]).sort(),
    notes: [...plan.notes].sort(),
  };
}

export function fromSnapshot(snapshot) {
  const plan = emptyPlan();
  if (!snapshot) return plan;
  plan.tables = new Map(snapshot.tables);
  plan.notes = new Map(snapshot.notes);
  for (const [guest, table, seat] of snapshot.places) plan.places.set(guest, { table, seat });
  return plan;
}
