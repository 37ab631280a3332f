// Fields for parameters of algorithms and materials, generated from the server's tables.

import { checkbox, color, slider } from './controls.js';
import { colorOf, hexOf } from './math.js';

/**
 * Returns the fields of one parameter; none for textures.
 *
 * * `row` — row of the table.
 * * `value` — current value.
 * * `change(make, dragId)` — called with a function from the current value to the next.
 */
export function fields(row, name, value, change, drag) {
  const picker = (name, rgb, put) => color(name, hexOf(rgb), (hex, d) => change(now => put(colorOf(hex), now), d), drag, row.summary);
  switch (row.kind) {
    case 'boolean':
      return [checkbox(name, value, on => change(() => on), row.summary)];
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

/** Fields of an unbounded colour: strength and normalised colour. */
function radiance(row, name, value, change, drag) {
  const strength = Math.max(...value);
  const chroma = strength > 0 ? value.map(x => x / strength) : [1, 1, 1];
  return [
    number(row, name, strength, Math.max(row.slider[1], strength * 2), (x, d) => change(() => chroma.map(t => t * x), d), drag),
    strength > 0 ? color(`${name}, colour`, hexOf(chroma), (hex, d) => change(() => colorOf(hex).map(t => t * strength), d), drag) : null,
  ].filter(Boolean);
}
