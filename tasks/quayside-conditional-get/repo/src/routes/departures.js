import { HttpError } from '../errors.js';

export function listDepartures({ store, at, query }) {
  const pier = query.get('pier');
  if (pier !== null && !store.hasPier(pier)) throw new HttpError(404, `no pier "${pier}"`);
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1) throw new HttpError(400, 'limit is a whole number from 1');
  const departures = store
    .sailings()
    .filter((sailing) => pier === null || sailing.pier === pier)
    .filter((sailing) => sailing.expected >= at)
    .sort((a, b) => a.expected.localeCompare(b.expected) || a.id.localeCompare(b.id))
    .slice(0, limit);
  return { view: { kind: 'departures', departures } };
}

export function postDelay({ store, body }) {
  const { sailing, minutes } = body ?? {};
  if (!Number.isInteger(minutes) || minutes < 0) throw new HttpError(400, 'minutes is a whole number');
  const delayed = store.delay(sailing, minutes);
  if (!delayed) throw new HttpError(404, `no sailing "${sailing}"`);
  return { view: { kind: 'departures', departures: [delayed] } };
}
