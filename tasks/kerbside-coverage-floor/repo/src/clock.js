// Wall-clock times as minutes since 1970-01-01T00:00, as if there were only UTC.

export const DAY = 24 * 60;

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)$/;

export function parse(text) {
  const found = FORM.exec(text);
  if (!found) throw new TypeError(`no time: ${text}`);
  const [year, month, day, hour, minute] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) / 60_000;
}

export const dayOf = (minute) => Math.floor(minute / DAY);

/** 0 is Sunday. 1970-01-01 was a Thursday. */
export const weekdayOf = (day) => (((day + 4) % 7) + 7) % 7;

export function dateText(day) {
  return new Date(day * DAY * 60_000).toISOString().slice(0, 10);
}
