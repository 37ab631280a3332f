// Vectors are arrays of 3 numbers. Transforms are arrays of 12, as in messages: three columns, then the translation.

export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = a => Math.hypot(a[0], a[1], a[2]);
export const unit = (a, fallback = [0, 0, 1]) => {
  const l = length(a);
  return l > 0 && Number.isFinite(l) ? scale(a, 1 / l) : fallback;
};

export const column = (m, i) => m.slice(3 * i, 3 * i + 3);
export const fromColumns = (x, y, z, t) => [...x, ...y, ...z, ...t];
const vector = (m, v) =>
  add(add(scale(column(m, 0), v[0]), scale(column(m, 1), v[1])), scale(column(m, 2), v[2]));
export const point = (m, p) => add(vector(m, p), column(m, 3));
export const multiply = (a, b) =>
  fromColumns(vector(a, column(b, 0)), vector(a, column(b, 1)), vector(a, column(b, 2)), point(a, column(b, 3)));

/** Returns the inverse of a transform, or null if it is singular. */
export function inverse(m) {
  const [x, y, z] = [column(m, 0), column(m, 1), column(m, 2)];
  const determinant = dot(x, cross(y, z));
  if (!(Math.abs(determinant) > 1e-30)) return null;
  const rows = [cross(y, z), cross(z, x), cross(x, y)].map(row => scale(row, 1 / determinant));
  const columns = [0, 1, 2].map(i => [rows[0][i], rows[1][i], rows[2][i]]);
  const linear = fromColumns(...columns, [0, 0, 0]);
  return fromColumns(...columns, scale(vector(linear, column(m, 3)), -1));
}

/** Centre of a box, given by its lowest and highest corner. */
export const middleOf = ([low, high]) => scale(add(low, high), 0.5);
/** Length of the diagonal of a box. */
export const diagonalOf = ([low, high]) => length(sub(high, low));

export const degreesOf = radians => (radians * 180) / Math.PI;
export const radiansOf = degrees => (degrees * Math.PI) / 180;

/** Elevation above the horizon and azimuth of a unit vector, in radians. */
export const anglesOf = d => [Math.asin(Math.max(-1, Math.min(1, d[1]))), Math.atan2(d[0], d[2])];
/** Unit vector of an elevation and an azimuth; inverse of `anglesOf`. */
export const fromAngles = (e, a) => [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];

export const translation = t => fromColumns([1, 0, 0], [0, 1, 0], [0, 0, 1], t);
export const scaling = s => fromColumns([s[0], 0, 0], [0, s[1], 0], [0, 0, s[2]], [0, 0, 0]);

/** Rotation about an axis, by Rodrigues' formula. */
export function rotation(axis, angle) {
  const k = unit(axis, [0, 1, 0]);
  const [s, c] = [Math.sin(angle), Math.cos(angle)];
  const turn = v => add(add(scale(v, c), scale(cross(k, v), s)), scale(k, dot(k, v) * (1 - c)));
  return fromColumns(turn([1, 0, 0]), turn([0, 1, 0]), turn([0, 0, 1]), [0, 0, 0]);
}

/** Applies `m` relative to a pivot instead of the origin. */
export const around = (pivot, m) => multiply(translation(pivot), multiply(m, translation(scale(pivot, -1))));

/**
 * Axes and sizes of a transform. The axes are perpendicular: of a sheared one, the first is that of the transform, and
 * the second is in the plane of the first two. The first size of a mirrored transform is negative.
 */
function axesOf(m) {
  const columns = [0, 1, 2].map(i => column(m, i));
  const size = columns.map(length);
  if (dot(columns[0], cross(columns[1], columns[2])) < 0) size[0] = -size[0];
  const x = unit(scale(columns[0], Math.sign(size[0])), [1, 0, 0]);
  const across = sub(columns[1], scale(x, dot(x, columns[1])));
  // An axis of size 0 has no direction: any that is perpendicular to the first
  const y = unit(across, unit(cross([0, 0, 1], x), [0, 1, 0]));
  return { axes: [x, y, cross(x, y)], size };
}

/** Decomposes a transform into translation, Euler angles in degrees (about x, then y, then z) and scale. */
export function decompose(m) {
  const { axes: [x, y, z], size } = axesOf(m);
  const pitch = Math.asin(Math.max(-1, Math.min(1, -x[2])));
  const isGimbalLock = Math.abs(x[2]) > 0.99999;
  const roll = isGimbalLock ? Math.atan2(-z[1], y[1]) : Math.atan2(y[2], z[2]);
  const yaw = isGimbalLock ? 0 : Math.atan2(x[1], x[0]);
  return { translation: column(m, 3), rotation: [roll, pitch, yaw].map(degreesOf), scale: size };
}

/** Returns a transform with other Euler angles as of `decompose`; scale and shear stay. */
export function withRotation(m, angles) {
  const [x, y, z] = angles.map(radiansOf);
  const turned = multiply(rotation([0, 0, 1], z), multiply(rotation([0, 1, 0], y), rotation([1, 0, 0], x)));
  const back = inverse(fromColumns(...axesOf(m).axes, [0, 0, 0]));
  return [...multiply(turned, multiply(back, m)).slice(0, 9), ...column(m, 3)];
}

/** Returns a transform with another scale as of `decompose`; the directions of its columns stay. */
export function withScale(m, factors) {
  const { axes, size } = axesOf(m);
  const columns = axes.map((axis, i) => (size[i] === 0 ? scale(axis, factors[i]) : scale(column(m, i), factors[i] / size[i])));
  return fromColumns(...columns, column(m, 3));
}

/** All numbers of two digits. */
const TWO_DIGITS = Array.from({ length: 91 }, (_, i) => 1 + i / 10);

/** Rounds up to one of some digits times a power of ten; 0 if that cannot be told. `digits` end with 10. */
export function roundedUp(x, digits = TWO_DIGITS) {
  if (!(x > 0 && Number.isFinite(x))) return 0;
  const power = 10 ** Math.floor(Math.log10(x));
  return Number((digits.find(digit => digit * power >= x * (1 - 1e-9)) * power).toPrecision(2));
}

const srgbFromLinear = x => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
const linearFromSrgb = x => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);

/** Returns a linear colour in 0 … 1 as sRGB `#rrggbb`. */
export const hexOf = rgb =>
  '#' + rgb.slice(0, 3).map(x => Math.round(255 * srgbFromLinear(Math.max(0, Math.min(1, x)))).toString(16).padStart(2, '0')).join('');

/** Returns an sRGB colour `#rrggbb` as linear values. */
export const colorOf = hex => [1, 3, 5].map(i => linearFromSrgb(parseInt(hex.slice(i, i + 2), 16) / 255));
