import { duration, timeOfDay } from './clock.js';

export function print(rows, kwh, start) {
  const lines = rows.map(
    ({ from, target, ramp, hold, end }) =>
      `${String(from).padStart(5)} -> ${String(target).padEnd(5)} ${duration(ramp).padStart(6)}` +
      ` hold ${duration(hold).padStart(5)}  ${timeOfDay(start + end)}`,
  );
  const total = rows.at(-1)?.end ?? 0;
  return [...lines, `ready ${timeOfDay(start + total)}`, `${kwh.toFixed(1)} kWh`].join('\n');
}
