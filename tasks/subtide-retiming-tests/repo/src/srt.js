import { formatTime, parseTime } from './retime.js';

// Files come with a BOM, with CRLF, with three blank lines, with numbers that start at 0...
export function readSrt(text) {
  const blocks = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n').split(/\n{2,}/);
  const cues = [];
  for (const block of blocks) {
    const lines = block.split('\n').filter((line) => line.trim() !== '');
    if (lines.length === 0) continue;
    const at = lines.findIndex((line) => line.includes('-->'));
    if (at < 0) throw new Error(`no times in: ${JSON.stringify(block)}`);
    // what may come after the second time are positions; nobody uses them
    const [start, end] = lines[at].split('-->');
    cues.push({
      start: parseTime(start),
      end: parseTime(end.trim().split(/\s+/)[0]),
      text: lines.slice(at + 1).join('\n'),
    });
  }
  return cues;
}

export function writeSrt(cues) {
  return cues
    .map(
      (cue, index) =>
        `${index + 1}\n${formatTime(cue.start)} --> ${formatTime(cue.end)}\n${cue.text}\n`,
    )
    .join('\n');
}
