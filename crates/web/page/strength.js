// Unbounded colours in two fields: a strength, which is the largest component, and a colour whose largest component is 1.
//
// The functions for changes take the newest value. One from the time when a panel was built would bring an old colour back:
// a panel is not built again while one of its colour fields has the focus.

import { colorOf, hexOf } from './math.js';
import { onDocument } from './state.js';

const WHITE = [1, 1, 1];
/** Last colours of values, so that a strength of 0 does not lose them. */
const colors = new Map();
onDocument(() => colors.clear());

export const strengthOf = rgb => Math.max(...rgb);

/**
 * Returns the colour whose largest component is 1; that of black is the last one that the value had.
 *
 * * `key` — name of the value, such as `light 3`.
 */
function colorAt(rgb, key) {
  const strength = strengthOf(rgb);
  if (strength > 0) colors.set(key, rgb.map(x => x / strength));
  return colors.get(key) ?? WHITE;
}

export const hexAt = (rgb, key) => hexOf(colorAt(rgb, key));

export const withStrength = (rgb, strength, key) => colorAt(rgb, key).map(x => x * strength);

/** Returns the value with another colour and the same strength; of the colour, only the hue and saturation count. */
export function withColor(rgb, hex, key) {
  const picked = colorOf(hex);
  const brightest = strengthOf(picked);
  colors.set(key, brightest > 0 ? picked.map(x => x / brightest) : WHITE);
  return colors.get(key).map(x => x * strengthOf(rgb));
}
