// Handles of lights: the direction of suns and spots, and the angles of a spot's cone.

import { rayThrough } from './camera.js';
import { light as setLight, worldFromNode } from './edits.js';
import { LENGTH, circle, distanceToLine, fillShape, strokePath, turned } from './handles.js';
import { add, anglesOf, column, cross, dot, fromAngles, length, radiansOf, scale, sub, unit } from './math.js';
import { aspect, imagePose, screen } from './overlay.js';
import { ANGLE_STEP, CONE_STEP, degrees, snapped } from './snapping.js';
import { lightOf, nodeOf } from './state.js';

const COLOR = '#ffe08a';
/** Length of arrows and cones, in lengths of the other handles. */
const REACH = 1.4;
/** Smallest outer angle of a cone. */
const LEAST_ANGLE = radiansOf(1);

/** Returns the handles of a light; see `handles.js`. */
export function lightHandles(frame, id) {
  const light = lightOf(nodeOf(id).light);
  const spot = light.kind.Spot;
  if (!spot && light.kind !== 'Directional') return [];
  const direction = unit(scale(column(worldFromNode(id), 2), -1));
  const reach = REACH * LENGTH * frame.metres;
  const arrow = tip(frame, direction, reach);
  if (!spot) return [arrow];
  const cone = ['outer', 'inner'].map(which => rim(frame, nodeOf(id).light, spot, which, direction, reach));
  return [arrow, ...cone];
}

/** Arrow whose tip is dragged around the light. */
function tip(frame, direction, reach) {
  const at = screen(add(frame.origin, scale(direction, reach)));
  return {
    name: 'direction',
    distance: p => (at && Math.hypot(p.x - at.x, p.y - at.y) < 12 ? -2 : Infinity),
    draw(context, active) {
      if (!at) return;
      const color = active ? '#fff' : COLOR;
      strokePath(context, [frame.at, at], color);
      const [dx, dy] = [at.x - frame.at.x, at.y - frame.at.y];
      const l = Math.hypot(dx, dy) || 1;
      const [x, y] = [dx / l, dy / l];
      context.beginPath();
      // Seen along its axis, an arrow is a dot
      if (l < 10) context.arc(at.x, at.y, 7, 0, 2 * Math.PI);
      else for (const [a, b] of [[9, 0], [-7, 8], [-7, -8]]) context.lineTo(at.x + a * x - b * y, at.y + a * y + b * x);
      context.closePath();
      fillShape(context, color);
    },
    start() {
      let now = direction;
      return (position, snap) => {
        now = directionAt(frame, reach, position, now);
        // The same angles as in the tab Light
        const [elevation, azimuth] = anglesOf(scale(now, -1)).map(angle => snapped(angle, snap && ANGLE_STEP));
        const to = snap ? scale(fromAngles(elevation, azimuth), -1) : now;
        const axis = cross(direction, to);
        const angle = Math.atan2(length(axis), dot(direction, to));
        return turned(frame, length(axis) > 1e-9 ? axis : column(frame.rows[0].world, 0), angle, `elevation ${degrees(elevation)}, azimuth ${degrees(azimuth)}`);
      };
    },
  };
}

/** Circle of the inner or outer angle of a spot. */
function rim(frame, id, spot, which, direction, reach) {
  const field = `${which}_radians`;
  const u = unit(cross(Math.abs(direction[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], direction));
  const v = cross(direction, u);
  const [along, across] = [reach * Math.cos(spot[field]), reach * Math.sin(spot[field])];
  const points = circle(add(frame.origin, scale(direction, along)), u, v, across);
  return {
    name: which,
    distance: p => distanceToLine(p, points),
    draw(context, active) {
      const color = active ? '#fff' : COLOR;
      if (which === 'outer') {
        for (let i = 0; i < 48; i += 12) if (points[i]) strokeThin(context, frame.at, points[i], color);
      }
      context.globalAlpha = which === 'outer' || active ? 1 : 0.6;
      strokePath(context, points, color);
      context.globalAlpha = 1;
    },
    start(position, drag) {
      let near = nearest(frame, u, v, direction, spot[field], position, reach);
      return (position, snap) => {
        near = directionAt(frame, reach, position, near);
        const angle = snapped(Math.acos(Math.max(-1, Math.min(1, dot(near, direction)))), snap && CONE_STEP);
        const kind = { Spot: withAngle(spot, which, angle) };
        setLight(id, { ...lightOf(id), kind }, drag);
        return { rows: [], text: `${which} angle ${degrees(kind.Spot[field])}` };
      };
    },
  };
}

/** Sets an angle; the inner one is at most the outer one. */
function withAngle(spot, which, angle) {
  if (which === 'inner') return { ...spot, inner_radians: Math.min(angle, spot.outer_radians * 0.99) };
  const outer = Math.max(LEAST_ANGLE, Math.min(Math.PI / 2, angle));
  return { ...spot, inner_radians: Math.min(spot.inner_radians, outer * 0.99), outer_radians: outer };
}

/** Direction of the point of a rim that the pointer grabs. */
function nearest(frame, u, v, direction, angle, position, reach) {
  const candidates = Array.from({ length: 48 }, (_, i) => {
    const turn = (i / 48) * 2 * Math.PI;
    const out = add(scale(u, Math.cos(turn)), scale(v, Math.sin(turn)));
    return add(scale(direction, Math.cos(angle)), scale(out, Math.sin(angle)));
  });
  const target = rayThrough(imagePose(), aspect(), position.x, position.y);
  const d = unit(target.direction);
  const away = direction => length(cross(sub(add(frame.origin, scale(direction, reach)), target.origin), d));
  return candidates.reduce((best, next) => (away(next) < away(best) ? next : best));
}

function strokeThin(context, a, b, color) {
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  for (const [style, width] of [['#0008', 3], [color, 1.2]]) {
    [context.strokeStyle, context.lineWidth] = [style, width];
    context.stroke();
  }
}

/** Direction from the light to the point of a sphere under the pointer that is nearest to an earlier direction. */
function directionAt({ origin }, radius, { x, y }, near) {
  const ray = rayThrough(imagePose(), aspect(), x, y);
  const d = unit(ray.direction);
  const middle = dot(sub(origin, ray.origin), d);
  const off = sub(add(ray.origin, scale(d, middle)), origin);
  const depth = radius * radius - dot(off, off);
  // Beside the sphere: its silhouette
  if (depth <= 0) return unit(off);
  const [front, back] = [-1, 1].map(side => unit(add(off, scale(d, side * Math.sqrt(depth)))));
  return dot(front, near) >= dot(back, near) ? front : back;
}
