// Minutes into kWh. Factors: see README, eleven bisque firings against the meter.

const CLIMBING = 0.8;
const HOLDING = 0.35;

export function energy(rows, kiln) {
  const minutes = rows.reduce((sum, row) => sum + row.ramp * CLIMBING + row.hold * HOLDING, 0);
  return (kiln.kw * minutes) / 60;
}
