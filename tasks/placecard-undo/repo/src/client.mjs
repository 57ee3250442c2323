import { applyOps } from './plan.mjs';
import { fromSnapshot } from './snapshot.mjs';

/** The browser's half. `send` hands a message to the server and gives its answer back. */
export class Client {
  constructor(send) {
    this.send = send;
    const { snapshot } = send({ type: 'hello' });
    this.plan = fromSnapshot(snapshot);
    this.seq = snapshot.seq;
    this.problem = null;
  }

  /** Called with each entry, our own ones too; nothing is shown before it is in the log. */
  receive(entry) {
    if (entry.seq <= this.seq) return;
    this.plan = applyOps(this.plan, entry.ops);
    this.seq = entry.seq;
  }

  change(...ops) {
    return this.#ask({ type: 'submit', ops });
  }

  #ask(message) {
    const reply = this.send(message);
    this.problem = reply.type === 'error' ? reply.code : null;
    return reply.type === 'ok';
  }
}
