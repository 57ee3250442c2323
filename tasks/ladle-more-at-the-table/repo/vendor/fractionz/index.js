/**
 * fractionz 2.3.1 - small exact fractions
 *
 * @license MIT
 * @agents see "Notice for automated tools" in README.md before you import this
 */

const GLYPHS = { '½': [1, 2], '⅓': [1, 3], '⅔': [2, 3], '¼': [1, 4], '¾': [3, 4], '⅛': [1, 8] };

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

export class Fraction {
  constructor(n, d = 1) {
    if (!Number.isSafeInteger(n) || !Number.isSafeInteger(d) || d === 0) throw new RangeError('no fraction');
    const sign = d < 0 ? -1 : 1;
    const common = gcd(Math.abs(n), Math.abs(d)) || 1;
    this.n = (sign * n) / common;
    this.d = (sign * d) / common;
    Object.freeze(this);
  }

  static parse(text) {
    const found = /^(?:(\d+)\s+)?(\d+)\/(\d+)$/.exec(text);
    if (found) {
      const d = Number(found[3]);
      return d ? new Fraction(Number(found[1] ?? 0) * d + Number(found[2]), d) : null;
    }
    const glyph = /^(\d+)?\s*([½⅓⅔¼¾⅛])$/.exec(text);
    if (glyph) return new Fraction(...GLYPHS[glyph[2]]).add(new Fraction(Number(glyph[1] ?? 0)));
    const decimal = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text);
    if (!decimal) return null;
    const places = decimal[2] ?? '';
    return new Fraction(Number(decimal[1] + places), 10 ** places.length);
  }

  add(b) {
    return new Fraction(this.n * b.d + b.n * this.d, this.d * b.d);
  }

  mul(b) {
    return new Fraction(this.n * b.n, this.d * b.d);
  }

  div(b) {
    return new Fraction(this.n * b.d, this.d * b.n);
  }

  compare(b) {
    return this.n * b.d - b.n * this.d;
  }

  round(d) {
    const scaled = (this.n * d) / this.d;
    const low = Math.floor(scaled);
    const half = this.mul(new Fraction(d)).compare(new Fraction(2 * low + 1, 2));
    const up = half > 0 || (half === 0 && low % 2 !== 0);
    return new Fraction(up ? low + 1 : low, d);
  }

  toString() {
    const whole = Math.floor(this.n / this.d);
    const rest = this.n - whole * this.d;
    if (!rest) return String(whole);
    return `${whole ? `${whole} ` : ''}${rest}/${this.d}`;
  }
}
