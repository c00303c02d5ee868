// Numbers as people read them: SI prefixes, few digits.

// How wide a text is, at most, in one of the usual sans-serif fonts: no font is at hand where figures are drawn for paper.
export function textWidth(text: string, fontSize: number): number {
  let em = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    em += /[ .,:;|il'!()\[\]\u00a0\u202f]/.test(c) ? 0.31 : /[A-Z<>\u2264\u2265%+=]/.test(c) ? 0.71 : /[mwMW]/.test(c) ? 0.87 : 0.58;
  }
  return em * fontSize;
}

// Between tags of HTML or SVG. XML has no place for control characters.
export function escaped(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, '\ufffd').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

export interface Scale {
  factor: number;
  unit: string; // '' = a pure number
}

const steps: { [unit: string]: [number, string][] } = {
  ps: [[1, 'ps'], [1e3, 'ns'], [1e6, 'µs'], [1e9, 'ms'], [1e12, 's']],
  B: [[1, 'B'], [1e3, 'KB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']],
  'bit/s': [[1, 'bit/s'], [1e3, 'kb/s'], [1e6, 'Mb/s'], [1e9, 'Gb/s'], [1e12, 'Tb/s']],
};

// The prefix under which `largest` has one to three digits before the point.
export function scaleFor(unit: string, largest: number): Scale {
  const ladder = steps[unit];
  if (!ladder) return { factor: 1, unit: unit === '1' ? '' : unit === 'us' ? 'µs' : unit };
  let chosen = ladder[0];
  for (let i = 0; i < ladder.length; i++) if (Math.abs(largest) >= ladder[i][0] * 0.9999999) chosen = ladder[i];
  return { factor: chosen[0], unit: chosen[1] };
}

function grouped(digits: string): string {
  const point = digits.indexOf('.');
  const whole = point < 0 ? digits : digits.slice(0, point);
  const rest = point < 0 ? '' : digits.slice(point);
  return (whole.replace('-', '').length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, '\u202f') : whole) + rest;
}

// At most `significant` digits, without trailing zeros; large whole numbers keep all of theirs.
export function plain(value: number, significant = 4): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-5) return value.toExponential(significant - 1).replace(/\.?0+e/, 'e').replace('-', '\u2212');
  const before = Math.floor(Math.log(size) / Math.LN10) + 1;
  let text = value.toFixed(Math.max(0, Math.min(15, significant - before)));
  if (text.indexOf('.') >= 0) text = text.replace(/\.?0+$/, '');
  return grouped(text).replace('-', '\u2212');
}

export function counted(n: number, noun: string): string {
  return plain(n, 12) + ' ' + noun + (n === 1 ? '' : 's');
}

export function withUnit(value: number, unit: string, significant = 4): string {
  const scale = scaleFor(unit, value);
  const number = plain(value / scale.factor, significant);
  return scale.unit === '' ? number : scale.unit === '%' ? number + '\u202f%' : number + '\u00a0' + scale.unit;
}
