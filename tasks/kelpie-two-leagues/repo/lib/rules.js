// What the meeting votes on. Plugins write into this object, see docs/plugins.md.
export const rules = {
  maxPoints: 100,
  timeLimit: 600,
  best: 4,
  penalties: { outrun: 1, lift: 1, fetch: 1, drive: 1, pen: 1 },
};
