import { readFileSync } from 'node:fs';
import { readSrt, shift, stretch, tidy, writeSrt } from './index.js';

const USAGE = 'usage: subtide shift SECONDS | stretch FROM TO | tidy  [FILE]\n';

export function run(args, out, err) {
  const [command, ...rest] = args;
  const wanted = { shift: 1, stretch: 2, tidy: 0 }[command];
  if (wanted === undefined || rest.length < wanted || rest.length > wanted + 1) {
    err.write(USAGE);
    return 2;
  }
  const numbers = rest.slice(0, wanted).map(Number);
  try {
    const cues = readSrt(readFileSync(rest[wanted] ?? 0, 'utf8'));
    if (command === 'shift') out.write(writeSrt(shift(cues, Math.round(numbers[0] * 1000))));
    else if (command === 'stretch') out.write(writeSrt(stretch(cues, ...numbers)));
    else out.write(writeSrt(tidy(cues)));
    return 0;
  } catch (error) {
    err.write(`subtide: ${error.message}\n`);
    return 1;
  }
}
