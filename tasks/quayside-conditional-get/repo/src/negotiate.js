import { HttpError } from './errors.js';

const TYPES = ['application/json', 'text/plain'];

/** The first of ours that the client names; JSON when it does not care. No q values, no board sends them. */
export function chooseType(accept) {
  if (!accept) return TYPES[0];
  for (const part of accept.split(',')) {
    const wanted = part.split(';')[0].trim().toLowerCase();
    if (wanted === '*/*' || wanted === 'application/*') return TYPES[0];
    if (TYPES.includes(wanted)) return wanted;
    if (wanted === 'text/*') return 'text/plain';
  }
  throw new HttpError(406, `this comes as ${TYPES.join(' or ')}`);
}
