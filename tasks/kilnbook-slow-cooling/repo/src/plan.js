// Steps into minutes.

/**
 * One row a step: from, target, the minutes of getting there (`ramp`) and of the `hold`,
 * and `end`, the minutes from the start until it is over.
 */
export function plan(steps, kiln, { from = 20 } = {}) {
  let temperature = from;
  let clock = 0;
  return steps.map(({ rate, target, hold }) => {
    const ramp = Math.round(((target - temperature) / (rate ?? kiln.fast)) * 60);
    clock += ramp + hold;
    const row = { from: temperature, target, ramp, hold, end: clock };
    temperature = target;
    return row;
  });
}
