// Programs as they are typed into the controllers.

const STEP = /^(?:(\d+)\/h|(fast)) to (\d+)(?: hold (\d+))?$/;

export function parseProgram(text) {
  const steps = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const bare = line.replace(/#.*/, '').trim();
    if (!bare) continue;
    const found = STEP.exec(bare);
    if (!found) throw new Error(`line ${index + 1}: not a step: ${bare}`);
    const [, rate, , target, hold] = found;
    // rate null: fast. The kiln is not known yet.
    if (rate === '0') throw new Error(`line ${index + 1}: a rate of 0 never gets there`);
    steps.push({ rate: rate ? Number(rate) : null, target: Number(target), hold: Number(hold ?? 0) });
  }
  return steps;
}
