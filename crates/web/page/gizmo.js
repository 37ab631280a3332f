// Handles to move, rotate and scale the selected object.

import { rayThrough } from './camera.js';
import { newDrag, transformInWorld, worldFromNode } from './edits.js';
import { around, add, column, cross, dot, multiply, point, rotation, scale, scaling, sub, translation, unit } from './math.js';
import { isEditor, meshOf, nodeOf, state } from './state.js';
import { aspect, imageRect, screen, imagePose } from './overlay.js';

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const COLORS = ['#ff6b6b', '#69db7c', '#74b9ff'];
/** Length of a handle, CSS pixels. */
const LENGTH = 84;
/** Distance within which a handle is hit, CSS pixels. */
const HIT_DISTANCE = 11;
let active = null;

/** Frame of the handles: origin, axes, and metres per CSS pixel at the origin. */
function frameOf(id) {
  const world = worldFromNode(id);
  if (!world) return null;
  // At the centre of the bounding box, since many meshes are far from their origin
  const box = meshOf(nodeOf(id).instance?.mesh)?.bounds;
  const center = box ? scale(add(box[0], box[1]), 0.5) : [0, 0, 0];
  const origin = point(world, center);
  const at = screen(origin);
  if (!at) return null;
  const { projection } = imagePose();
  const { height } = imageRect();
  const heightInMetres = projection.Orthographic
    ? projection.Orthographic.height
    : 2 * at.depth * Math.tan((projection.Perspective ?? projection.ThinLens).fov_y_radians / 2);
  // Scaling is along the axes of the object, moving and rotating along those of the world
  const axes = state.gizmo === 'scale' ? [0, 1, 2].map(i => unit(column(world, i), AXES[i])) : AXES;
  return { world, center, origin, at, metres: heightInMetres / height, axes };
}

/** Points of a handle in CSS pixels: a line, or a ring. */
function handlePoints(frame, axis) {
  const length = LENGTH * frame.metres;
  const a = frame.axes[axis];
  if (state.gizmo !== 'rotate') return [frame.at, screen(add(frame.origin, scale(a, length)))];
  const [u, v] = [frame.axes[(axis + 1) % 3], frame.axes[(axis + 2) % 3]];
  return Array.from({ length: 49 }, (_, i) => {
    const angle = (i / 48) * 2 * Math.PI;
    return screen(add(frame.origin, add(scale(u, Math.cos(angle) * length), scale(v, Math.sin(angle) * length))));
  });
}

/** Draws the handles of a node. */
export function drawGizmo(context, id) {
  const frame = frameOf(id);
  if (!frame) return;
  context.lineCap = 'round';
  for (let axis = 0; axis < 3; axis++) {
    const points = handlePoints(frame, axis).filter(Boolean);
    if (points.length < 2) continue;
    context.beginPath();
    points.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
    const isActive = active?.axis === axis;
    for (const [style, width] of [['#000a', 6], [isActive ? '#fff' : COLORS[axis], 3]]) {
      [context.strokeStyle, context.lineWidth] = [style, width];
      context.stroke();
    }
    if (state.gizmo === 'rotate') continue;
    const tip = points.at(-1);
    context.beginPath();
    if (state.gizmo === 'move') context.arc(tip.x, tip.y, 6, 0, 2 * Math.PI);
    else context.rect(tip.x - 5.5, tip.y - 5.5, 11, 11);
    [context.fillStyle, context.strokeStyle, context.lineWidth] = [isActive ? '#fff' : COLORS[axis], '#000a', 1.5];
    context.fill();
    context.stroke();
  }
}

function distanceToSegment(p, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const t = Math.max(0, Math.min(1, ((p.x - a.x) * dx + (p.y - a.y) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** Returns the axis of the nearest handle within hit distance, or null. */
function axisAt(frame, position) {
  const rect = imageRect();
  const p = { x: rect.x + position.x * rect.width, y: rect.y + position.y * rect.height };
  let best = null;
  for (let axis = 0; axis < 3; axis++) {
    const points = handlePoints(frame, axis).filter(Boolean);
    for (let i = 1; i < points.length; i++) {
      const distance = distanceToSegment(p, points[i - 1], points[i]);
      if (distance < (best?.distance ?? HIT_DISTANCE)) best = { axis, distance };
    }
  }
  return best?.axis ?? null;
}

const selected = () => (isEditor() && nodeOf(state.selection?.node) ? state.selection.node : null);

/** Whether there is a handle at a position of the image. */
export function hover(position) {
  const id = selected();
  const frame = id === null ? null : frameOf(id);
  return frame !== null && axisAt(frame, position) !== null;
}

/** Starts a drag of the handle at a position of the image; null if there is none. */
export function grab(position) {
  const id = selected();
  const frame = id === null ? null : frameOf(id);
  const axis = frame ? axisAt(frame, position) : null;
  if (axis === null) return null;
  const drag = newDrag();
  const pose = imagePose();
  const measure = { move: distanceAlongAxis, scale: distanceAlongAxis, rotate: angleAboutAxis }[state.gizmo];
  const mode = state.gizmo;
  const first = measure(frame, axis, pose, position);
  active = { axis };
  return {
    move(position) {
      const now = measure(frame, axis, pose, position);
      if (first === null || now === null) return;
      transformInWorld(id, transformed(mode, frame, axis, first, now), drag);
    },
    drop: () => (active = null),
  };
}

/** Returns the transform after a drag from `first` to `now`. */
function transformed(mode, { world, center, origin, axes, metres }, axis, first, now) {
  const a = axes[axis];
  if (mode === 'move') return multiply(translation(scale(a, now - first)), world);
  if (mode === 'rotate') return multiply(around(origin, rotation(a, now - first)), world);
  const factor = Math.max(0.01, 1 + (now - first) / (LENGTH * metres));
  return multiply(world, around(center, scaling([0, 1, 2].map(i => (i === axis ? factor : 1)))));
}

/** Metres along the axis of the point that is closest to the ray. */
function distanceAlongAxis({ origin, axes }, axis, pose, { x, y }) {
  const ray = rayThrough(pose, aspect(), x, y);
  const [a, d] = [axes[axis], unit(ray.direction)];
  const [b, w] = [dot(a, d), sub(origin, ray.origin)];
  const denominator = 1 - b * b;
  return denominator < 1e-4 ? null : (b * dot(d, w) - dot(a, w)) / denominator;
}

/** Radians about the axis, in the plane of the ring. */
function angleAboutAxis({ origin, axes }, axis, pose, { x, y }) {
  const ray = rayThrough(pose, aspect(), x, y);
  const a = axes[axis];
  const slope = dot(ray.direction, a);
  if (Math.abs(slope) < 1e-3) return null;
  const p = sub(add(ray.origin, scale(ray.direction, dot(sub(origin, ray.origin), a) / slope)), origin);
  const u = axes[(axis + 1) % 3];
  return Math.atan2(dot(p, cross(a, u)), dot(p, u));
}
