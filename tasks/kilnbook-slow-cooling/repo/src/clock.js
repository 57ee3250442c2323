// Minutes into times of day, and back.

const two = (number) => String(number).padStart(2, '0');

export function parseTime(text) {
  const found = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (!found) throw new Error(`not a time: ${text}`);
  return Number(found[1]) * 60 + Number(found[2]);
}

/** 08:05, or 03:10 +1 on the next day. */
export function timeOfDay(minutes) {
  const day = Math.floor(minutes / 1440);
  const rest = minutes - day * 1440;
  return `${two(Math.floor(rest / 60))}:${two(rest % 60)}${day ? ` +${day}` : ''}`;
}

/** 2:05 */
export function duration(minutes) {
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}`;
}
