import { HttpError } from '../errors.js';

export function listNotices({ store }) {
  return { view: { kind: 'notices', notices: [...store.notices].reverse() } };
}

export function postNotice({ store, at, body }) {
  const text = body?.text?.trim?.();
  if (!text) throw new HttpError(400, 'a notice needs a text');
  store.notices.push({ text, since: at });
  store.revision += 1;
  return { status: 201, view: { kind: 'notices', notices: [...store.notices].reverse() } };
}
