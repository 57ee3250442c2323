import { PlanError } from './errors.mjs';

/**
 * Messages of one connected browser. `user` is `{name, role}`, role `planner` or `viewer`.
 *
 *   {type: 'hello'}             -> {type: 'snapshot', snapshot}
 *   {type: 'submit', ops}       -> {type: 'ok', seq} or {type: 'error', code, message}
 *   {type: 'lock'}              -> {type: 'ok', seq}
 */
const WRITES = new Set(['submit', 'lock']);

export function answer(session, user, message) {
  try {
    if (WRITES.has(message.type) && user.role !== 'planner') {
      throw new PlanError('read-only', 'viewers look only');
    }
    switch (message.type) {
      case 'hello':
        return { type: 'snapshot', snapshot: session.snapshot() };
      case 'submit':
        return { type: 'ok', seq: session.submit(user.name, message.ops).seq };
      case 'lock':
        session.lock();
        return { type: 'ok', seq: session.seq };
      default:
        throw new PlanError('bad-message', `no message "${message.type}"`);
    }
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { type: 'error', code: error.code, message: error.message };
  }
}
