// Faults planted one at a time into the right retime.js: name, old text, new text.
export const MUTANTS = [
  ['parse: one digit after the comma will do', '(\\d{3})$/', '(\\d{1,3})$/'],
  ['parse: hours need two digits', '/^(\\d+):', '/^(\\d\\d):'],
  ['parse: 60 seconds', '([0-5]\\d):([0-5]\\d)[', '([0-5]\\d):([0-6]\\d)['],
  ['parse: no spaces', 'text.trim()', 'text'],
  ['parse: text behind the time', '(\\d{3})$/', '(\\d{3})/'],
  ['format: days are lost', 'const hours = Math.floor(ms / 3_600_000);', 'const hours = Math.floor(ms / 3_600_000) % 24;'],
  ['format: milliseconds without zeros', "String(ms % 1000).padStart(3, '0')", 'String(ms % 1000)'],
  ['format: cuts fractions off', 'const ms = Math.round(time)', 'const ms = Math.floor(time)'],
  ['format: zero is refused', '!(time >= 0)', '!(time > 0)'],
  ['format: infinity', ' || time === Infinity) throw new TimeError', ') throw new TimeError'],
  ['shift: starts stay negative', 'Math.max(0, cue.start + by)', 'cue.start + by'],
  ['shift: drops what starts before 0', '.filter((cue) => cue.end > 0)', '.filter((cue) => cue.end > 0 && cue.start > 0)'],
  ['shift: length kept at the front', 'end: cue.end + by', 'end: Math.max(0, cue.start + by) + cue.end - cue.start'],
  ['shift: changes its cues', '({ ...cue, start: Math.max(0, cue.start + by), end: cue.end + by })', 'Object.assign(cue, { start: Math.max(0, cue.start + by), end: cue.end + by })'],
  ['stretch: not rounded', 'Math.round((time * from) / to)', '(time * from) / to'],
  ['stretch: a rate of zero', '!(rate > 0)', '!(rate >= 0)'],
  ['stretch: an infinite rate', ' || rate === Infinity) throw new RangeError', ') throw new RangeError'],
  ['tidy: sorts what it was given', '[...cues].sort', 'cues.sort'],
  ['tidy: together means the shorter one first', 'a.start - b.start)', 'a.start - b.start || a.end - b.end)'],
  ['tidy: another gap by default', 'gap = 80', 'gap = 40'],
  ['tidy: another min by default', 'min = 700', 'min = 500'],
  ['tidy: cut below min', 'Math.max(next.start - gap, cue.start + min)', 'next.start - gap'],
  ['tidy: only real overlaps are cut', 'const latest =', 'if (cue.end <= next.start) return { ...cue };\n    const latest ='],
  ['tidy: made longer', 'end: Math.min(cue.end, latest)', 'end: latest'],
  ['tidy: cuts the cues it was given', 'return { ...cue, end: Math.min(cue.end, latest) };', 'return Object.assign(cue, { end: Math.min(cue.end, latest) });'],
];

export function planted(right) {
  return MUTANTS.map(([name, from, to]) => {
    const parts = right.split(from);
    if (parts.length !== 2) throw new Error(`${name}: ${parts.length - 1} places`);
    return [name, parts.join(to)];
  });
}
