// Times, and moving cues around in them. README.md says what each does and why.

export class TimeError extends Error {
  name = 'TimeError';
}

const TIME = /^(\d+):([0-5]\d):([0-5]\d)[,.](\d{3})$/;

export function parseTime(text) {
  const found = TIME.exec(text.trim());
  if (!found) throw new TimeError(`not a time: ${JSON.stringify(text)}`);
  const [hours, minutes, seconds, ms] = found.slice(1).map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms;
}

export function formatTime(time) {
  if (!(time >= 0) || time === Infinity) throw new TimeError(`no time on a film: ${time}`);
  const ms = Math.round(time);
  const two = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = Math.floor(ms / 1000) % 60;
  return `${two(hours)}:${two(minutes)}:${two(seconds)},${String(ms % 1000).padStart(3, '0')}`;
}

export function shift(cues, by) {
  return cues
    .map((cue) => ({ ...cue, start: Math.max(0, cue.start + by), end: cue.end + by }))
    .filter((cue) => cue.end > 0);
}

export function stretch(cues, from, to) {
  for (const rate of [from, to]) {
    if (!(rate > 0) || rate === Infinity) throw new RangeError(`not a frame rate: ${rate}`);
  }
  const scaled = (time) => Math.round((time * from) / to);
  return cues.map((cue) => ({ ...cue, start: scaled(cue.start), end: scaled(cue.end) }));
}

export function tidy(cues, { gap = 80, min = 700 } = {}) {
  const sorted = [...cues].sort((a, b) => a.start - b.start);
  return sorted.map((cue, index) => {
    const next = sorted[index + 1];
    if (!next) return { ...cue };
    const latest = Math.max(next.start - gap, cue.start + min);
    return { ...cue, end: Math.min(cue.end, latest) };
  });
}
