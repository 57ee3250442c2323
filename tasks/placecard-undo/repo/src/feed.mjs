const WORDS = {
  addTable: ({ table, seats }) => `added table ${table} (${seats})`,
  removeTable: ({ table }) => `removed table ${table}`,
  seat: ({ guest, table, seat }) => `seated ${guest} at ${table}/${seat}`,
  unseat: ({ guest }) => `took ${guest} off the plan`,
  note: ({ guest, text }) => (text ? `noted for ${guest}: ${text}` : `removed the note of ${guest}`),
};

/**
 * One line of the activity feed, `09:12 ada seated Mr Brown at Oak/3`.
 * @param {import('./store.mjs').Entry} entry
 */
export function feedLine({ at, by, ops }) {
  const [first, ...rest] = ops;
  const more = rest.length === 0 ? '' : ` and ${rest.length} more`;
  return `${at.slice(11, 16)} ${by} ${WORDS[first.op](first)}${more}`;
}
