// Measures of drags: functions from a position of the image to a length, an angle or a point; null if it cannot be told.

import { rayThrough } from './camera.js';
import { add, cross, dot, scale, sub, unit } from './math.js';
import { aspect, imagePose } from './overlay.js';

/** Metres along the axis of the point that is closest to the ray. */
export function alongAxis({ origin, axes }, axis) {
  const pose = imagePose();
  return ({ x, y }) => {
    const ray = rayThrough(pose, aspect(), x, y);
    const [a, d] = [axes[axis], unit(ray.direction)];
    const [b, w] = [dot(a, d), sub(origin, ray.origin)];
    const denominator = 1 - b * b;
    return denominator < 1e-4 ? null : (b * dot(d, w) - dot(a, w)) / denominator;
  };
}

/** Point where the ray meets a plane through the origin. */
export function onPlane({ origin }, normal) {
  const pose = imagePose();
  return ({ x, y }) => {
    const ray = rayThrough(pose, aspect(), x, y);
    const slope = dot(unit(ray.direction), normal);
    if (Math.abs(slope) < 1e-3) return null;
    const t = dot(sub(origin, ray.origin), normal) / dot(ray.direction, normal);
    return t > 0 ? add(ray.origin, scale(ray.direction, t)) : null;
  };
}

/** Radians about the axis, in the plane of the ring. */
export function aboutAxis(frame, axis) {
  const a = frame.axes[axis];
  const u = frame.axes[(axis + 1) % 3];
  const meet = onPlane(frame, a);
  return position => {
    const p = meet(position);
    if (p === null) return null;
    const d = sub(p, frame.origin);
    return Math.atan2(dot(d, cross(a, u)), dot(d, u));
  };
}
