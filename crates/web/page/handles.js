// Handles that move, rotate and scale the selected objects: axes, rings, planes, and one in the middle.
//
// A handle has `name`; `distance(p)`, by which the pointer hits it; `draw(context, active)`; and `start(position,
// drag)`, which returns a function from a position of the image, and whether to snap, to the new transforms and a text.

import { around, add, column, dot, length, multiply, rotation, scale, scaling, sub, translation } from './math.js';
import { aboutAxis, alongAxis, onPlane } from './measures.js';
import { imagePose, pixel, screen } from './overlay.js';
import { ANGLE_STEP, SCALE_STEP, degrees, metres, moveStep, percent, snapped } from './snapping.js';

const COLORS = ['#ff6b6b', '#69db7c', '#74b9ff'];
/** Length of a handle, CSS pixels. */
export const LENGTH = 84;
/** Distances from the middle at which the squares of planes begin and end, CSS pixels. */
const PLANE = [20, 38];
/** Radius of the handle in the middle, CSS pixels. */
const MIDDLE = 8;
/** Distance within which a line is hit, CSS pixels. */
const HIT_DISTANCE = 11;

/** Returns the handles of a mode for a frame; see `gizmo.js`. */
export function transformHandles(frame) {
  const axes = [0, 1, 2];
  if (frame.mode === 'rotate') return axes.map(axis => ring(frame, axis));
  const lines = axes.map(axis => line(frame, axis));
  if (frame.mode === 'scale') return [middle(frame, uniformScale), ...lines];
  return [middle(frame, inView), ...lines, ...axes.map(axis => plane(frame, axis))];
}

function distanceToSegment(p, a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const t = Math.max(0, Math.min(1, ((p.x - a.x) * dx + (p.y - a.y) * dy) / Math.max(1e-9, dx * dx + dy * dy)));
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

/** Distance of a point from a line through points; infinite beyond hit distance. */
export function distanceToLine(p, points) {
  let least = HIT_DISTANCE;
  for (let i = 1; i < points.length; i++) least = Math.min(least, distanceToSegment(p, points[i - 1], points[i]));
  return least < HIT_DISTANCE ? least : Infinity;
}

export function strokePath(context, points, color, closed = false) {
  if (points.length < 2) return;
  context.beginPath();
  points.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
  if (closed) context.closePath();
  [context.lineCap, context.lineJoin] = ['round', 'round'];
  for (const [style, width] of [['#000a', 6], [color, 3]]) {
    [context.strokeStyle, context.lineWidth] = [style, width];
    context.stroke();
  }
}

/** Fills the current path, with a dark edge. */
export function fillShape(context, color) {
  [context.fillStyle, context.strokeStyle, context.lineWidth] = [color, '#000a', 1.5];
  context.fill();
  context.stroke();
}

/** Handle along an axis, to move or scale. */
function line(frame, axis) {
  const { mode, axes, origin, at } = frame;
  const tip = screen(add(origin, scale(axes[axis], LENGTH * frame.metres)));
  const points = tip ? [at, tip] : [];
  return {
    name: `${mode}-${axis}`,
    distance: p => distanceToLine(p, points),
    draw(context, active) {
      if (!tip) return;
      const color = active ? '#fff' : COLORS[axis];
      strokePath(context, points, color);
      context.beginPath();
      if (mode === 'move') context.arc(tip.x, tip.y, 6, 0, 2 * Math.PI);
      else context.rect(tip.x - 5.5, tip.y - 5.5, 11, 11);
      fillShape(context, color);
    },
    start(position) {
      const measure = alongAxis(frame, axis);
      const first = measure(position);
      return (position, snap) => {
        const now = measure(position);
        if (first === null || now === null) return null;
        if (mode === 'move') {
          const amount = snapped(now - first, snap && moveStep());
          return moved(frame, scale(axes[axis], amount), metres(amount));
        }
        const factor = snapped(1 + (now - first) / (LENGTH * frame.metres), snap && SCALE_STEP);
        return scaled(frame, [0, 1, 2].map(i => (i === axis ? factor : 1)), factor);
      };
    },
  };
}

/** Ring around an axis, to rotate. */
function ring(frame, axis) {
  const { axes, origin } = frame;
  const [u, v] = [axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
  const radius = LENGTH * frame.metres;
  const points = circle(origin, u, v, radius);
  return {
    name: `rotate-${axis}`,
    distance: p => distanceToLine(p, points),
    draw: (context, active) => strokePath(context, points, active ? '#fff' : COLORS[axis]),
    start(position) {
      const measure = aboutAxis(frame, axis);
      let last = measure(position);
      let angle = 0;
      return (position, snap) => {
        const now = measure(position);
        if (last === null || now === null) return null;
        // The sum may be more than half a turn, the angle between two positions is not
        angle += Math.atan2(Math.sin(now - last), Math.cos(now - last));
        last = now;
        const turn = snapped(angle, snap && ANGLE_STEP);
        return turned(frame, axes[axis], turn, degrees(turn));
      };
    },
  };
}

/** Points of a circle in CSS pixels. */
export function circle(center, u, v, radius) {
  const at = i => (i / 48) * 2 * Math.PI;
  const points = Array.from({ length: 49 }, (_, i) =>
    screen(add(center, add(scale(u, Math.cos(at(i)) * radius), scale(v, Math.sin(at(i)) * radius)))));
  return points.filter(Boolean);
}

/** Square between two axes, to move in their plane. */
function plane(frame, axis) {
  const { axes, origin } = frame;
  const [u, v] = [axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
  const [near, far] = PLANE.map(x => x * frame.metres);
  const corner = (a, b) => screen(add(origin, add(scale(u, a), scale(v, b))));
  const corners = [corner(near, near), corner(far, near), corner(far, far), corner(near, far)].filter(Boolean);
  return {
    name: `plane-${axis}`,
    // Axes are hit first, and a square that is seen edge-on is not hit
    distance: p => (corners.length === 4 && area(corners) > 60 && contains(corners, p) ? HIT_DISTANCE : Infinity),
    draw(context, active) {
      if (corners.length < 4 || area(corners) <= 60) return;
      context.beginPath();
      corners.forEach((p, i) => (i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y)));
      context.closePath();
      context.globalAlpha = active ? 0.9 : 0.55;
      fillShape(context, active ? '#fff' : COLORS[axis]);
      context.globalAlpha = 1;
    },
    start: inPlane(frame, axes[axis], [u, v], true),
  };
}

const area = corners => Math.abs(corners.reduce((sum, p, i) => {
  const q = corners[(i + 1) % corners.length];
  return sum + p.x * q.y - q.x * p.y;
}, 0)) / 2;

/** Whether a convex polygon contains a point. */
function contains(corners, p) {
  const sides = corners.map((a, i) => {
    const b = corners[(i + 1) % corners.length];
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
  });
  return sides.every(s => s >= 0) || sides.every(s => s <= 0);
}

/** Handle in the middle. */
function middle(frame, start) {
  const { at } = frame;
  return {
    name: 'middle',
    distance: p => (Math.hypot(p.x - at.x, p.y - at.y) <= MIDDLE ? -1 : Infinity),
    draw(context, active) {
      context.beginPath();
      if (frame.mode === 'move') context.arc(at.x, at.y, MIDDLE - 1, 0, 2 * Math.PI);
      else context.rect(at.x - MIDDLE + 1, at.y - MIDDLE + 1, 2 * MIDDLE - 2, 2 * MIDDLE - 2);
      fillShape(context, active ? '#ffd166' : '#f4f4f4');
    },
    start: start(frame),
  };
}

/** Drag of the middle that moves parallel to the image. */
function inView(frame) {
  const m = imagePose().world_from_view;
  return inPlane(frame, column(m, 2), [column(m, 0), column(m, 1)], false);
}

/** Drag that moves in a plane, along two axes; shown are both amounts, or the distance. */
function inPlane(frame, normal, axes, showsBoth) {
  return position => {
    const measure = onPlane(frame, normal);
    const first = measure(position);
    return (position, snap) => {
      const now = measure(position);
      if (first === null || now === null) return null;
      const amounts = axes.map(axis => snapped(dot(sub(now, first), axis), snap && moveStep()));
      const step = add(...axes.map((axis, i) => scale(axis, amounts[i])));
      return moved(frame, step, showsBoth ? amounts.map(metres).join(', ') : metres(length(step)));
    };
  };
}

/** Drag of the middle that scales along all axes: right or up makes larger. */
function uniformScale(frame) {
  return position => {
    const first = pixel(position);
    return (position, snap) => {
      const now = pixel(position);
      const factor = snapped(1 + (now.x - first.x - (now.y - first.y)) / LENGTH, snap && SCALE_STEP);
      return scaled(frame, [factor, factor, factor], factor);
    };
  };
}

/** Result of a movement of all nodes. */
function moved({ rows }, step, text) {
  const shift = translation(step);
  return { rows: rows.map(({ id, world }) => ({ id, world: multiply(shift, world) })), text };
}

/** Result of a rotation of all nodes about the common centre. */
export function turned({ rows, pivot }, axis, angle, text) {
  const turn = around(pivot, rotation(axis, angle));
  return { rows: rows.map(({ id, world }) => ({ id, world: multiply(turn, world) })), text };
}

/** Result of scaling: one node along its own axes, several along those of the world, about the common centre. */
function scaled({ rows, origin, center }, factors, shown) {
  const clean = factors.map(factor => Math.max(0.01, factor));
  const text = percent(Math.max(0.01, shown));
  if (center) return { rows: rows.map(({ id, world }) => ({ id, world: multiply(world, around(center, scaling(clean))) })), text };
  const grow = around(origin, scaling(clean));
  return { rows: rows.map(({ id, world }) => ({ id, world: multiply(grow, world) })), text };
}
