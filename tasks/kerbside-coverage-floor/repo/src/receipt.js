import { dateText } from './clock.js';

export const euros = (cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;

/** The text on the ticket. */
export function receipt(zone, { cents, days }) {
  const lines = days.map(([day, part]) => `${dateText(day)}  ${euros(part)}`);
  return [`Zone ${zone.id} ${zone.name}`, ...lines, `Total ${euros(cents)} EUR`].join('\n');
}
