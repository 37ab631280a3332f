// Fields for parameters of algorithms and materials, generated from the server's tables.

import { checkbox, choice, color, slider } from './controls.js';
import { colorOf, hexOf } from './math.js';
import { hexAt, strengthOf, withColor, withStrength } from './strength.js';

/**
 * Returns the fields of one parameter; none for textures.
 *
 * * `row` — row of the table.
 * * `value` — current value.
 * * `change(make, dragId)` — called with a function from the current value to the next.
 * * `key` — name of the value that no other one has.
 */
export function fields(row, name, value, change, drag, key = row.name) {
  const picker = (name, rgb, put) => color(name, hexOf(rgb), (hex, d) => change(now => put(colorOf(hex), now), d), drag, row.summary);
  switch (row.kind) {
    case 'boolean':
      return [checkbox(name, value, on => change(() => on), row.summary)];
    case 'choice':
      return [choice(name, row.names.map(one => [one, one.replaceAll('-', ' ')]), value, one => change(() => one), row.summary)];
    case 'integer':
    case 'number':
      return [number(row, name, value, row.slider[1], (x, d) => change(() => x, d), drag)];
    case 'color':
      return row.most > 1 ? radiance(row, name, value, change, drag, key) : [picker(name, value, rgb => rgb)];
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
function radiance(row, name, value, change, drag, key) {
  const strength = strengthOf(value);
  return [
    number(row, name, strength, Math.max(row.slider[1], strength * 2), (x, d) => change(now => withStrength(now, x, key), d), drag),
    strength > 0 ? color(`${name}, colour`, hexAt(value, key), (hex, d) => change(now => withColor(now, hex, key), d), drag) : null,
  ].filter(Boolean);
}
