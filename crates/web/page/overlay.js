// Lines over the picture: the box of what is picked, its handles, lights without extent.

import { pose as ownPose, project } from './camera.js';
import { worldFromNode } from './edits.js';
import { drawGizmo } from './gizmo.js';
import { outline, start as startOutline } from './silhouette.js';
import { isEditor, meshOf, nodeOf, on, state } from './state.js';
import { column, point } from './math.js';

let stage, canvas, context;
let due = false;

export function start(stageElement, canvasElement) {
  [stage, canvas, context] = [stageElement, canvasElement, canvasElement.getContext('2d')];
  startOutline(redraw);
  for (const key of ['frame', 'selection', 'scene', 'gizmo', 'view', 'moved']) on(key, redraw);
}

/** The size of a picture that is seen whole in an area. Small ones have rounded sizes: they fill it if they nearly do. */
export function fit(width, height, aspect) {
  if (Math.abs((aspect * height) / width - 1) < 0.03) return { width, height };
  const w = Math.min(width, height * aspect);
  return { width: w, height: w / aspect };
}

/** Where the picture lies in the stage, CSS pixels. */
export function pictureRect() {
  const { clientWidth: w, clientHeight: h } = stage;
  const { width, height } = fit(w, h, state.aspect ?? w / h);
  return { x: (w - width) / 2, y: (h - height) / 2, width, height };
}

/** The place of an event in the picture: 0 … 1 from the upper left corner. */
export function positionIn(event) {
  const box = stage.getBoundingClientRect();
  const rect = pictureRect();
  return { x: (event.clientX - box.left - rect.x) / rect.width, y: (event.clientY - box.top - rect.y) / rect.height };
}

export const aspect = () => {
  const { width, height } = pictureRect();
  return width / height;
};

/** The pose that the picture was seen from. */
export const seenPose = () => state.frame?.pose ?? ownPose();

/** CSS pixels of a point of the world; null behind us. */
export function screen(p) {
  const at = project(seenPose(), aspect(), p);
  if (!at) return null;
  const rect = pictureRect();
  return { x: rect.x + at.x * rect.width, y: rect.y + at.y * rect.height, depth: at.depth };
}

/** Corners of the box of a node's own mesh, in the world. */
function corners(id) {
  const mesh = meshOf(nodeOf(id)?.instance?.mesh);
  const world = worldFromNode(id);
  if (!mesh || !world) return null;
  const [low, high] = mesh.bounds;
  return [0, 1, 2, 3, 4, 5, 6, 7].map(i => point(world, [0, 1, 2].map(axis => (i & (1 << axis) ? high : low)[axis])));
}

/** Box in the world of a node and all below it: lowest and highest corner; null if nothing is there. */
export function bounds(id) {
  if (id === undefined || id === null) return null;
  const points = [];
  const visit = id => {
    points.push(...(corners(id) ?? []));
    for (const { id: child, node } of state.scene.nodes) if (node.parent === id) visit(child);
  };
  visit(id);
  if (points.length === 0) {
    const world = worldFromNode(id);
    if (!world) return null;
    const [low, high] = state.scene.bounds;
    const small = 0.05 * Math.hypot(...low.map((x, i) => high[i] - x));
    const at = column(world, 3);
    return [at.map(x => x - small), at.map(x => x + small)];
  }
  return [0, 1].map(end => [0, 1, 2].map(axis => Math[end ? 'max' : 'min'](...points.map(p => p[axis]))));
}

export function redraw() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
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
  drawLights();
  const id = state.selection?.node;
  if (id === undefined || !nodeOf(id)) return;
  const lines = outline();
  const box = lines ? null : corners(id);
  if (lines) drawOutline(lines);
  else if (box) drawBox(box);
  if (isEditor()) drawGizmo(context, id);
}

/** Twelve edges, light on dark, so that they are seen on everything. */
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
  strokeTwice();
}

/** Around what is seen of it. */
function drawOutline(lines) {
  const rect = pictureRect();
  context.beginPath();
  for (const [from, to] of lines) {
    context.moveTo(rect.x + from[0] * rect.width, rect.y + from[1] * rect.height);
    context.lineTo(rect.x + to[0] * rect.width, rect.y + to[1] * rect.height);
  }
  context.lineCap = 'round';
  strokeTwice();
}

function strokeTwice() {
  for (const [style, width] of [['#000a', 3.5], ['#ffd166', 1.5]]) {
    [context.strokeStyle, context.lineWidth] = [style, width];
    context.stroke();
  }
}

/** A little sun for each light without extent. */
function drawLights() {
  for (const { id, node } of state.scene.nodes) {
    if (node.light === null) continue;
    const at = screen(column(worldFromNode(id), 3));
    if (!at) continue;
    context.beginPath();
    context.arc(at.x, at.y, 4, 0, 2 * Math.PI);
    for (let i = 0; i < 8; i++) {
      const [c, s] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)];
      context.moveTo(at.x + 6 * c, at.y + 6 * s);
      context.lineTo(at.x + 9 * c, at.y + 9 * s);
    }
    for (const [style, width] of [['#000a', 3.5], [node.visible ? '#ffe08a' : '#888', 1.5]]) {
      [context.strokeStyle, context.lineWidth] = [style, width];
      context.stroke();
    }
  }
}

/** The light whose sign is at a place, if there is one. */
export function lightAt({ x, y }) {
  const rect = pictureRect();
  const [px, py] = [rect.x + x * rect.width, rect.y + y * rect.height];
  const near = state.scene?.nodes.find(({ id, node }) => {
    if (node.light === null) return false;
    const at = screen(column(worldFromNode(id), 3));
    return at && Math.hypot(at.x - px, at.y - py) < 12;
  });
  return near?.id ?? null;
}
