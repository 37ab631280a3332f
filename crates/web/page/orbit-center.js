// The point about which orbits turn: the selected object if it is in view, else the surface under the pointer.

import { limitOrbit, pose, project, setOrbitCenter } from './camera.js';
import { onMessage, send } from './connection.js';
import { aspect, bounds } from './overlay.js';
import { column, length, sub } from './math.js';
import { sphereAround } from './picking.js';
import { state } from './state.js';

/** Whether the last orbit turns about the selected object. */
let isAboutObject = false;

export function start() {
  onMessage('free-space', ({ ahead, around, enclosed, surface }) => {
    if (isAboutObject) return;
    // An eye that orbits at distance r stays within 2 r of where it was: within a room, if no wall is that near
    const limit = enclosed ? Math.max(1e-4, Math.min(ahead ?? Infinity, around / 2)) : Infinity;
    if (surface) setOrbitCenter(surface);
    limitOrbit(limit);
  });
}

/** Finds the centre of an orbit that starts at a position of the image. */
export function startOrbit({ x, y } = { x: 0.5, y: 0.5 }) {
  const center = centerOfObject();
  isAboutObject = center !== null;
  if (!center) return send({ type: 'free-space', pose: pose(), x, y });
  setOrbitCenter(center);
  limitOrbit(Infinity);
}

/** Returns the centre of the selected object if that is in view and the camera is not inside of it; else null. */
function centerOfObject() {
  const box = bounds(state.selection?.node);
  if (!box) return null;
  const { center, radius } = sphereAround(box);
  const now = pose();
  const at = project(now, aspect(), center);
  const isInView = at && at.depth > 0 && [at.x, at.y].every(t => t > 0 && t < 1);
  return isInView && length(sub(center, column(now.world_from_view, 3))) > radius ? center : null;
}
