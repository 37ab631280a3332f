// Fields for the parameters of algorithms and materials, from the rows of the server's tables.

import { check, color, slider } from './controls.js';
import { colorOf, hexOf } from './math.js';

/**
 * The fields of one parameter. Textures have none here: they are switched, not set.
 *
 * * `row` — of the table. * `value` — as it is now. * `change(make, dragId)` — takes a function from the newest value to the next.
 */
export function fields(row, name, value, change, drag) {
  const picker = (name, rgb, put) => color(name, hexOf(rgb), (hex, d) => change(now => put(colorOf(hex), now), d), drag, row.summary);
  switch (row.kind) {
    case 'boolean':
      return [check(name, value, on => change(() => on), row.summary)];
    case 'integer':
    case 'number':
      return [number(row, name, value, row.slider[1], (x, d) => change(() => x, d), drag)];
    case 'color':
      return row.most > 1 ? radiance(row, name, value, change, drag) : [picker(name, value, rgb => rgb)];
    case 'colors':
      return value.map((one, i) => picker(`${name} ${i + 1}`, one, (rgb, now) => now.map((other, j) => (j === i ? rgb : other))));
    case 'textured-color':
      return [picker(name, value.factor, (rgb, now) => ({ ...now, factor: [...rgb, now.factor[3]] }))];
    default:
      return [];
  }
}

function number(row, name, value, upTo, changed, drag) {
  const span = [Math.min(row.slider[0], value), Math.max(upTo, value)];
  const { least, most, unit, summary: title } = row;
  return slider(name, value, { least, most, span, integer: row.kind === 'integer', log: span[1] - span[0] > 20, unit, title, drag }, changed);
}

/** A colour without an upper end: how bright it is, and its tone. */
function radiance(row, name, value, change, drag) {
  const power = Math.max(...value);
  const tone = power > 0 ? value.map(x => x / power) : [1, 1, 1];
  return [
    number(row, name, power, Math.max(row.slider[1], power * 2), (x, d) => change(() => tone.map(t => t * x), d), drag),
    power > 0 ? color(`${name}, colour`, hexOf(tone), (hex, d) => change(() => colorOf(hex).map(t => t * power), d), drag) : null,
  ].filter(Boolean);
}
