// Lines over the image: outlines or bounding boxes and handles of the selected objects, and icons of lights.

import { pose as ownPose, project } from './camera.js';
import { worldFromNode } from './edits.js';
import { drawGizmo } from './gizmo.js';
import { drawLights, isLight } from './light-icons.js';
import { selectedNodes } from './selection.js';
import { sceneSize } from './size.js';
import { outline, start as startOutline } from './silhouette.js';
import { meshOf, nodeOf, on, state, subtreeOf } from './state.js';
import { column, point } from './math.js';

/** Largest number of selected objects that are outlined. */
const MAX_BOXES = 200;

let stage, canvas, context;
let scheduled = false;

export function start(stageElement, canvasElement) {
  [stage, canvas, context] = [stageElement, canvasElement, canvasElement.getContext('2d')];
  startOutline(redraw);
  for (const key of ['frame', 'selection', 'scene', 'gizmo', 'local', 'view', 'moved']) on(key, redraw);
}

/** Largest size of an image in an area. It fills the area if the aspect ratios are nearly equal, due to rounding. */
export function fit(width, height, aspect) {
  if (Math.abs((aspect * height) / width - 1) < 0.03) return { width, height };
  const w = Math.min(width, height * aspect);
  return { width: w, height: w / aspect };
}

/** Rectangle of the image in its area, CSS pixels. */
export function imageRect() {
  const { clientWidth: w, clientHeight: h } = stage;
  const { width, height } = fit(w, h, state.aspect ?? w / h);
  return { x: (w - width) / 2, y: (h - height) / 2, width, height };
}

/** Position of an event in the image: 0 … 1 from the upper left corner. */
export function positionIn(event) {
  const box = stage.getBoundingClientRect();
  const rect = imageRect();
  return { x: (event.clientX - box.left - rect.x) / rect.width, y: (event.clientY - box.top - rect.y) / rect.height };
}

/** Position in the image as a point in CSS pixels. */
export function pixel({ x, y }) {
  const rect = imageRect();
  return { x: rect.x + x * rect.width, y: rect.y + y * rect.height };
}

/** Whether a position is in the image. */
export const isInImage = ({ x, y }) => x >= 0 && y >= 0 && x <= 1 && y <= 1;

/** Aspect ratio of the displayed image. */
export const aspect = () => {
  const { width, height } = imageRect();
  return width / height;
};

/** Camera pose of the displayed image. */
export const imagePose = () => state.frame?.pose ?? ownPose();

/** Projects a point of the world to CSS pixels; null behind the camera. */
export function screen(p) {
  const at = project(imagePose(), aspect(), p);
  return at && { ...pixel(at), depth: at.depth };
}

/** Corners of the bounding box of a node's mesh, in world space. */
function corners(id) {
  const mesh = meshOf(nodeOf(id)?.instance?.mesh);
  const world = worldFromNode(id);
  if (!mesh || !world) return null;
  return cornersOf(mesh.bounds).map(corner => point(world, corner));
}

/** Corners of a box. */
export const cornersOf = ([low, high]) => [0, 1, 2, 3, 4, 5, 6, 7].map(i => [0, 1, 2].map(axis => (i & (1 << axis) ? high : low)[axis]));

/**
 * Bounding box of a node and its descendants in world space: lowest and highest corner; null if there is no node. One
 * without meshes has a box about its origin.
 */
export function bounds(id) {
  if (id === undefined || id === null) return null;
  const points = subtreeOf(id).flatMap(node => corners(node) ?? []);
  if (points.length > 0) return boxAround(points);
  const world = worldFromNode(id);
  if (!world) return null;
  const extent = 0.05 * sceneSize();
  const at = column(world, 3);
  return [at.map(x => x - extent), at.map(x => x + extent)];
}

/** Bounding box of the meshes of a node and its descendants in world space; null if there are none, or not all are known. */
export function meshBounds(id) {
  const meshes = subtreeOf(id).filter(node => nodeOf(node)?.instance).map(corners);
  if (state.scene.more_nodes > 0 || meshes.length === 0 || meshes.includes(null)) return null;
  return boxAround(meshes.flat());
}

const boxAround = points => [Math.min, Math.max].map(end => [0, 1, 2].map(axis => end(...points.map(p => p[axis]))));

/** Schedules drawing before the next paint. */
export function redraw() {
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}

function draw() {
  const ratio = devicePixelRatio;
  const [width, height] = [stage.clientWidth, stage.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (!state.scene || !state.frame) return;
  drawLights(context);
  for (const id of selectedNodes().slice(-MAX_BOXES)) {
    if (isLight(nodeOf(id))) continue;
    const lines = outline(id);
    if (lines) drawOutline(lines);
    else drawBox(corners(id) ?? cornersOf(bounds(id)));
  }
  drawGizmo(context);
}

/** Draws the twelve edges of a box. */
function drawBox(box) {
  const at = box.map(screen);
  if (at.some(p => p === null)) return;
  context.beginPath();
  for (let i = 0; i < 8; i++) {
    for (const bit of [1, 2, 4]) {
      if (i & bit) continue;
      context.moveTo(at[i].x, at[i].y);
      context.lineTo(at[i | bit].x, at[i | bit].y);
    }
  }
  strokeWithContrast();
}

/** Draws the outline of the visible parts of the selected object. */
function drawOutline(lines) {
  const rect = imageRect();
  context.beginPath();
  for (const [from, to] of lines) {
    context.moveTo(rect.x + from[0] * rect.width, rect.y + from[1] * rect.height);
    context.lineTo(rect.x + to[0] * rect.width, rect.y + to[1] * rect.height);
  }
  context.lineCap = 'round';
  strokeWithContrast();
}

/** Strokes the path bright on dark, so that it is visible on any background. */
function strokeWithContrast() {
  for (const [style, width] of [['#000a', 3.5], ['#ffd166', 1.5]]) {
    [context.strokeStyle, context.lineWidth] = [style, width];
    context.stroke();
  }
}
