// Where we look from. The page moves at once and tells the server; frames say from where they were seen.

import { add, column, dot, fromColumns, length, scale, sub } from './math.js';
import { isEditor, on, set, state } from './state.js';
import { send, stampInput } from './connection.js';

const STEEPEST = Math.PI / 2 - 0.001;

/** Eye, angles, and how far away the point is that we turn around. */
const camera = { eye: [0, 0, 0], yaw: 0, pitch: 0, distance: 1, projection: { Perspective: { fov_y_radians: 0.7 } } };
/** Exactly as it came, as long as we have not moved: it may lean to a side, which turning does not. */
let given = null;
let first = null;
let scheduled = false;
/** What we have said of late: its echo is no news. */
const said = [];

const keyOf = pose => JSON.stringify(pose, (_, value) => (typeof value === 'number' ? Math.fround(value) : value));

export function pose() {
  if (given) return given;
  const back = backward();
  const right = [Math.cos(camera.yaw), 0, -Math.sin(camera.yaw)];
  const up = [-Math.sin(camera.pitch) * Math.sin(camera.yaw), Math.cos(camera.pitch), -Math.sin(camera.pitch) * Math.cos(camera.yaw)];
  return { world_from_view: fromColumns(right, up, back, camera.eye).map(Math.fround), projection: camera.projection };
}

function backward() {
  const c = Math.cos(camera.pitch);
  return [Math.sin(camera.yaw) * c, Math.sin(camera.pitch), Math.cos(camera.yaw) * c];
}

const target = () => sub(camera.eye, scale(backward(), camera.distance));

/** How large the scene is. */
function extent() {
  const [low, high] = state.scene?.bounds ?? [[0, 0, 0], [1, 1, 1]];
  return Math.max(length(sub(high, low)), 1e-6);
}

/** Takes a pose as ours without telling anybody. */
function adopt(next) {
  given = next;
  const m = next.world_from_view;
  const back = column(m, 2);
  camera.eye = column(m, 3);
  camera.yaw = Math.atan2(back[0], back[2]);
  camera.pitch = Math.asin(Math.max(-1, Math.min(1, back[1] / Math.max(length(back), 1e-9))));
  camera.projection = next.projection;
  // Turn around what lies ahead in the middle of the scene, or else a little ahead
  const [low, high] = state.scene?.bounds ?? [[0, 0, 0], [0, 0, 0]];
  const ahead = -dot(sub(scale(add(low, high), 0.5), camera.eye), back);
  camera.distance = ahead > 0.02 * extent() ? ahead : 0.25 * extent();
}

/** Goes to a pose, and says so. */
export function goTo(next) {
  adopt(next);
  tell();
}

export const reset = () => first && goTo(first);

function moved() {
  given = null;
  tell();
}

/** At most once for each picture that the browser paints. */
function tell() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    if (!isEditor()) {
      if (state.view) adopt(state.view.pose);
      return;
    }
    const now = pose();
    said.push(keyOf(now));
    if (said.length > 240) said.shift();
    send({ type: 'camera', pose: now, input: stampInput() });
    set('moved', now);
  });
}

/** Around the point that we look at; radians. */
export function orbit(dx, dy) {
  const around = target();
  camera.yaw -= dx;
  camera.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, camera.pitch + dy));
  camera.eye = add(around, scale(backward(), camera.distance));
  moved();
}

/** Sideways and upwards, in heights of the picture. */
export function pan(dx, dy) {
  const m = pose().world_from_view;
  const step = heightAtTarget();
  camera.eye = add(camera.eye, add(scale(column(m, 0), -dx * step), scale(column(m, 1), dy * step)));
  moved();
}

/** Closer if `factor` is below 1. */
export function zoom(factor) {
  const projection = camera.projection;
  if (projection.Orthographic) {
    camera.projection = { Orthographic: { height: Math.max(1e-4, projection.Orthographic.height * factor) } };
  } else {
    const around = target();
    // Close by it becomes a step forward: one never gets stuck in front of things
    const least = 0.002 * extent();
    camera.distance = Math.max(least, camera.distance * factor);
    const eye = add(around, scale(backward(), camera.distance));
    camera.eye = camera.distance === least && factor < 1 ? sub(camera.eye, scale(backward(), least)) : eye;
  }
  moved();
}

/** Metres for each axis of the view, for so many seconds. */
export function walk([right, up, back], seconds, fast) {
  const step = seconds * 0.12 * extent() * (fast ? 4 : 1);
  const m = pose().world_from_view;
  const by = add(add(scale(column(m, 0), right), [0, up, 0]), scale(column(m, 2), back));
  camera.eye = add(camera.eye, scale(by, step));
  moved();
}

/** Looks at a point from the same side, so that something of a radius fills the picture. */
export function focus(center, radius) {
  const half = fov() / 2;
  camera.distance = Math.max(radius, 1e-4) / Math.sin(half) * 1.15;
  if (camera.projection.Orthographic) camera.projection = { Orthographic: { height: radius * 2.4 } };
  const back = backward();
  camera.eye = add(center, scale(back, camera.distance));
  moved();
}

/** From now on we turn around this point. */
export function turnAround(position) {
  camera.distance = Math.max(1e-4, -dot(sub(position, camera.eye), backward()));
}

export const fov = () => {
  const p = camera.projection.Perspective ?? camera.projection.ThinLens;
  return p ? p.fov_y_radians : 0.7;
};

export function setFov(radians) {
  const [kind] = Object.keys(camera.projection);
  if (kind === 'Orthographic') return;
  camera.projection = { [kind]: { ...camera.projection[kind], fov_y_radians: radians } };
  moved();
}

const heightAtTarget = () =>
  camera.projection.Orthographic ? camera.projection.Orthographic.height : 2 * camera.distance * Math.tan(fov() / 2);

/** Where a pose of the world lies in the picture: 0 … 1 from the upper left corner, and how far; null behind us. */
export function project({ world_from_view: m, projection }, aspect, p) {
  const d = sub(p, column(m, 3));
  const [x, y, z] = [dot(d, column(m, 0)), dot(d, column(m, 1)), -dot(d, column(m, 2))];
  if (projection.Orthographic) {
    const h = projection.Orthographic.height;
    return { x: 0.5 + x / (h * aspect), y: 0.5 - y / h, depth: z };
  }
  if (z <= 1e-6) return null;
  const t = 2 * Math.tan((projection.Perspective ?? projection.ThinLens).fov_y_radians / 2) * z;
  return { x: 0.5 + x / (t * aspect), y: 0.5 - y / t, depth: z };
}

/** The ray through a point of the picture. */
export function rayThrough({ world_from_view: m, projection }, aspect, x, y) {
  const [u, v] = [x - 0.5, 0.5 - y];
  const in_view = (a, b, c) => add(add(scale(column(m, 0), a), scale(column(m, 1), b)), scale(column(m, 2), c));
  if (projection.Orthographic) {
    const h = projection.Orthographic.height;
    return { origin: add(column(m, 3), in_view(u * h * aspect, v * h, 0)), direction: in_view(0, 0, -1) };
  }
  const t = 2 * Math.tan((projection.Perspective ?? projection.ThinLens).fov_y_radians / 2);
  return { origin: column(m, 3), direction: in_view(u * t * aspect, v * t, -1) };
}

on('view', view => {
  if (said.includes(keyOf(view.pose))) return;
  adopt(view.pose);
  first ??= view.pose;
});

let name = null;
on('scene', scene => {
  // Another scene has another first view; it comes right after
  if (name !== null && name !== scene.name) first = null;
  name = scene.name;
  if (given) adopt(given);
});
on('hello', () => {
  said.length = 0;
  first = null;
});
