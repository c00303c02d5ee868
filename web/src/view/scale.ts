// How much a link is used, or how long its queue is, in classes that differ in colour, in width and in words. Colours are
// told apart by the colour-blind, and get further from the ground as values grow.
import { h } from '../dom';
import { isDark } from '../theme';
import { bytes } from './words';

export const kClasses = 6; // 0 = idle

export const widths = [0.8, 1.1, 2, 2.9, 4, 5.2];

export function colours(): string[] {
  return isDark()
    ? ['#333c46', '#345a79', '#4ba6e0', '#f2b632', '#f5793a', '#ffe4d6']
    : ['#d3d9e0', '#a9cae4', '#2f86c1', '#e69f00', '#d0480a', '#6b1502'];
}

// Of links that are down, which are dashed too.
export const downColour = () => (isDark() ? '#ff8f9c' : '#b3123b');

const useLimits = [0.005, 0.25, 0.5, 0.75, 0.95];

// From the longest queue of the run down by factors of about three, at round numbers.
export function queueLimits(longest: number): number[] {
  const round: number[] = [];
  for (let v = 100; v < 1e13; v *= 10) round.push(v, 3 * v);
  let top = round.length - 1;
  while (top > 4 && round[top] >= Math.max(longest, 30000)) top--;
  return [1, ...round.slice(Math.max(0, top - 3), top + 1)];
}

export function useClass(share: number): number {
  let c = 0;
  while (c < 5 && share >= useLimits[c]) c++;
  return c;
}

export function classOf(limits: number[], value: number): number {
  let c = 0;
  while (c < limits.length && value >= limits[c]) c++;
  return c;
}

export function classWords(colour: 'use' | 'queue', limits: number[]): string[] {
  if (colour === 'use') return ['idle', 'below 25\u202f%', '25\u202f% and more', '50\u202f% and more', '75\u202f% and more', '95\u202f% and more'];
  return ['empty', 'below ' + bytes(limits[1]), ...limits.slice(1).map((l) => bytes(l) + ' and more')];
}

// The legend in words, with samples as wide as the lines.
export function legend(colour: 'use' | 'queue', limits: number[]): HTMLElement[] {
  const tint = colours();
  return classWords(colour, limits).map((text, i) => {
    const sample = h('i');
    sample.style.background = tint[i];
    sample.style.height = Math.max(1, widths[i]) + 'px';
    return h('li', {}, sample, text);
  });
}
