// Camera of the viewer. The page moves it at once and sends the pose; each frame has the pose of its image.

import { add, anglesOf, column, dot, fromAngles, fromColumns, length, middleOf, scale, sub, unit } from './math.js';
import { sceneSize } from './size.js';
import { isEditor, kindOf, on, set, state } from './state.js';
import { send, stampInput } from './connection.js';

/** Largest pitch, radians. */
const MAX_PITCH = Math.PI / 2 - 0.001;

/** Position, angles in radians, and distance of the orbit centre. */
const camera = { eye: [0, 0, 0], yaw: 0, pitch: 0, distance: 1, projection: { Perspective: { fov_y_radians: 0.7 } } };
/** Pose as it was set, until the camera is moved: it may have a roll, which orbiting does not keep. */
let exactPose = null;
/** Point about which orbits rotate; null: one in front of the camera. */
let pivot = null;
/** Largest distance at which orbits turn about their centre: small in rooms. */
let orbitLimit = Infinity;
let scheduled = false;
/** Recently sent poses, whose echo in the message `view` is ignored. */
const sentPoses = [];

const keyOf = pose => JSON.stringify(pose, (_, value) => (typeof value === 'number' ? Math.fround(value) : value));

export function pose() {
  if (exactPose) return exactPose;
  return { world_from_view: fromColumns(...axes(), camera.eye).map(Math.fround), projection: camera.projection };
}

/** Axes of the view: right, up, backward. */
function axes() {
  const right = [Math.cos(camera.yaw), 0, -Math.sin(camera.yaw)];
  const up = [-Math.sin(camera.pitch) * Math.sin(camera.yaw), Math.cos(camera.pitch), -Math.sin(camera.pitch) * Math.cos(camera.yaw)];
  return [right, up, backward()];
}

const backward = () => fromAngles(camera.pitch, camera.yaw);

const target = () => sub(camera.eye, scale(backward(), camera.distance));

/** Size of the scene; small if it is a point. */
const extent = () => Math.max(sceneSize(), 1e-6);

/** Sets the camera to a pose without sending it. */
function adopt(next) {
  exactPose = next;
  const m = next.world_from_view;
  const back = column(m, 2);
  camera.eye = column(m, 3);
  [camera.pitch, camera.yaw] = anglesOf(unit(back));
  camera.projection = next.projection;
  // Orbit about the depth of the scene's centre, or a point ahead of the camera if that is behind it
  const center = state.scene ? middleOf(state.scene.bounds) : [0, 0, 0];
  const ahead = -dot(sub(center, camera.eye), back);
  pivot = ahead > 0.02 * extent() ? center : null;
  camera.distance = pivot ? ahead : 0.25 * extent();
}

/** Sets the camera to a pose and sends it. */
export function goTo(next) {
  adopt(next);
  sendPose();
}

/** Goes back to the initial view, which the server fits to the size of the image. */
export function reset() {
  sentPoses.length = 0;
  send({ type: 'reset', input: stampInput() });
}

function moved() {
  exactPose = null;
  sendPose();
}

/** Sends the pose, at most once per paint of the browser. */
function sendPose() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    if (!isEditor()) {
      if (state.view) adopt(state.view.pose);
      return;
    }
    const now = pose();
    sentPoses.push(keyOf(now));
    if (sentPoses.length > 240) sentPoses.shift();
    send({ type: 'camera', pose: now, input: stampInput() });
    set('moved', now);
  });
}

/** Rotates about the orbit centre, by angles in radians. The centre keeps its place in the image. */
export function orbit(dx, dy) {
  const ahead = scale(backward(), -camera.distance);
  const isInFront = pivot && dot(sub(pivot, camera.eye), backward()) < 0;
  const toPivot = isInFront ? sub(pivot, camera.eye) : ahead;
  const center = add(camera.eye, scale(toPivot, Math.min(1, orbitLimit / length(toPivot))));
  const offset = sub(camera.eye, center);
  const inView = axes().map(axis => dot(offset, axis));
  camera.yaw -= dx;
  camera.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, camera.pitch + dy));
  const [x, y, z] = axes().map((axis, i) => scale(axis, inView[i]));
  camera.eye = add(center, add(x, add(y, z)));
  moved();
}

/** Moves parallel to the image plane, in heights of the image. */
export function pan(dx, dy) {
  const m = pose().world_from_view;
  const step = heightAt(camera.projection, camera.distance);
  camera.eye = add(camera.eye, add(scale(column(m, 0), -dx * step), scale(column(m, 1), dy * step)));
  moved();
}

/** Changes the distance to the orbit centre, or the height of an orthographic view, by a factor. */
export function zoom(factor) {
  const projection = camera.projection;
  if (projection.Orthographic) {
    camera.projection = { Orthographic: { height: Math.max(1e-4, projection.Orthographic.height * factor) } };
  } else {
    const center = target();
    // Close to the centre, move forward with it, so that zooming does not get stuck
    const least = 0.002 * extent();
    camera.distance = Math.max(least, camera.distance * factor);
    const eye = add(center, scale(backward(), camera.distance));
    camera.eye = camera.distance === least && factor < 1 ? sub(camera.eye, scale(backward(), least)) : eye;
  }
  moved();
}

/** Moves along the axes of the view for a duration. */
export function walk([right, up, back], seconds, fast) {
  const step = seconds * 0.12 * extent() * (fast ? 4 : 1);
  const m = pose().world_from_view;
  const direction = add(add(scale(column(m, 0), right), [0, up, 0]), scale(column(m, 2), back));
  camera.eye = add(camera.eye, scale(direction, step));
  moved();
}

/** Direction from the centre of a sphere to the camera, now, and the distance from which the sphere fills the image. */
export function viewOf({ radius }) {
  return { backward: backward(), distance: (Math.max(radius, 1e-4) / Math.sin(fov() / 2)) * 1.15 };
}

/** Looks at the centre of a sphere, from a direction and a distance as those of `viewOf`. */
export function focus({ center, radius }, { backward: back, distance }) {
  camera.distance = distance;
  if (camera.projection.Orthographic) camera.projection = { Orthographic: { height: radius * 2.4 } };
  [camera.pitch, camera.yaw] = anglesOf(back);
  camera.pitch = Math.max(-MAX_PITCH, Math.min(MAX_PITCH, camera.pitch));
  camera.eye = add(center, scale(backward(), distance));
  pivot = center;
  moved();
}

export function setOrbitCenter(position) {
  pivot = position;
  camera.distance = Math.max(1e-4, -dot(sub(position, camera.eye), backward()));
}

/** Sets the largest distance at which orbits turn about their centre; farther, they turn about a point on the way to it. */
export function limitOrbit(limit) {
  orbitLimit = limit;
}

export const fov = () => {
  const p = camera.projection.Perspective ?? camera.projection.ThinLens;
  return p ? p.fov_y_radians : 0.7;
};

export function setFov(radians) {
  const kind = kindOf(camera.projection);
  if (kind === 'Orthographic') return;
  camera.projection = { [kind]: { ...camera.projection[kind], fov_y_radians: radians } };
  moved();
}

/** Height of the image in metres at a depth. */
export const heightAt = ({ Orthographic, Perspective, ThinLens }, depth) =>
  Orthographic ? Orthographic.height : 2 * depth * Math.tan((Perspective ?? ThinLens).fov_y_radians / 2);

/** Projects a point of the world to 0 … 1 from the upper left corner of the image; null behind the camera. */
export function project({ world_from_view: m, projection }, aspect, p) {
  const d = sub(p, column(m, 3));
  const [x, y, z] = [dot(d, column(m, 0)), dot(d, column(m, 1)), -dot(d, column(m, 2))];
  if (!(z > 0) && !projection.Orthographic) return null;
  const height = heightAt(projection, z);
  return { x: 0.5 + x / (height * aspect), y: 0.5 - y / height, depth: z };
}

/** Returns the ray through a point of the image. */
export function rayThrough({ world_from_view: m, projection }, aspect, x, y) {
  const [u, v] = [x - 0.5, 0.5 - y];
  const worldFromView = (a, b, c) => add(add(scale(column(m, 0), a), scale(column(m, 1), b)), scale(column(m, 2), c));
  const height = heightAt(projection, 1);
  const [right, up] = [u * height * aspect, v * height];
  if (projection.Orthographic) return { origin: add(column(m, 3), worldFromView(right, up, 0)), direction: worldFromView(0, 0, -1) };
  return { origin: column(m, 3), direction: worldFromView(right, up, -1) };
}

on('view', view => {
  if (sentPoses.includes(keyOf(view.pose))) return;
  adopt(view.pose);
});

on('scene', () => {
  if (exactPose) adopt(exactPose);
});
on('hello', () => {
  sentPoses.length = 0;
});
