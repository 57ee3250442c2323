// docs/tariff.md in code. Rule numbers in comments.

import { DAY, dayOf, weekdayOf } from './clock.js';

const OPENS = 8 * 60;
const CLOSES = 20 * 60;
const FREE_MINUTES = 15;
const ELECTRIC_MINUTES = 120;
const LONGEST = 14 * DAY;

/** Paid minutes by day, in order: [[day, minutes], ...]. T1 */
export function paidByDay(from, to) {
  const days = [];
  for (let day = dayOf(from); day * DAY < to; day += 1) {
    if (weekdayOf(day) === 0) continue;
    const start = Math.max(from, day * DAY + OPENS);
    const end = Math.min(to, day * DAY + CLOSES);
    if (end > start) days.push([day, end - start]);
  }
  return days;
}

/** What a session costs in cents. `from` and `to` are minutes of src/clock.js. */
export function price(zone, from, to, { resident = null, electric = false, lost = false } = {}) {
  if (to < from) throw new RangeError('ends before it begins'); // T8
  if (to - from > LONGEST) throw new RangeError('longer than 14 days');
  if (to === from) return { cents: 0, days: [] };
  if (lost) return lostTicket(zone, from, to);

  let days = paidByDay(from, to);
  if (sum(days) <= FREE_MINUTES) return { cents: 0, days: [] }; // T2
  if (electric) days = without(days, ELECTRIC_MINUTES);

  const charged = perDay(zone, days);
  let cents = sum(charged);
  if (resident === zone.id) cents = Math.floor(cents / 2); // T5
  return { cents, days: charged };
}

/** T6 */
function lostTicket(zone, from, to) {
  const days = [];
  for (let day = dayOf(from); day <= dayOf(to - 1); day += 1) days.push([day, zone.dayMax]);
  return { cents: sum(days), days };
}

/** T7: the first minutes of the session taken off, wherever they lie. */
function without(days, minutes) {
  const rest = [];
  for (const [day, paid] of days) {
    const off = Math.min(paid, minutes);
    minutes -= off;
    if (paid > off) rest.push([day, paid - off]);
  }
  return rest;
}

/** T3, T4: cents by day. A unit that runs into the next day has been paid for. */
function perDay(zone, days) {
  const charged = [];
  let running = 0; // minutes of the last unit that are still left
  for (const [day, minutes] of days) {
    const open = Math.max(0, minutes - running);
    const units = Math.ceil(open / zone.unitMinutes);
    running = Math.max(0, running - minutes) + units * zone.unitMinutes - open;
    charged.push([day, Math.min(units * zone.unitCents, zone.dayMax)]);
  }
  return charged;
}

function sum(days) {
  return days.reduce((total, [, value]) => total + value, 0);
}
