// Outlines of the selected objects, from their visibility masks.

import { ask } from './connection.js';
import { isLight } from './light-icons.js';
import { selectedNodes } from './selection.js';
import { nodeOf, on, state } from './state.js';

/** Largest number of objects with an outline; further ones have boxes. */
const MAX_OUTLINES = 8;
/** Newest masks by node: key, and outline as line segments, 0 … 1 from the upper left corner. */
const newest = new Map();
/** Keys of the newest requests by node. */
const requested = new Map();
let redraw = () => {};

const keyOf = () => JSON.stringify([state.frame?.revision, state.frame?.pose, state.frame?.size]);

export function start(changed) {
  redraw = changed;
  for (const key of ['frame', 'selection']) on(key, request);
}

/** Requests the masks at rest; while something moves, bounding boxes are drawn. */
function request() {
  const wanted = selectedNodes().filter(id => !isLight(nodeOf(id))).slice(-MAX_OUTLINES);
  for (const node of [...requested.keys()]) {
    if (wanted.includes(node)) continue;
    requested.delete(node);
    newest.delete(node);
  }
  if (state.frame?.mode !== 'rest') return;
  const key = keyOf();
  for (const node of wanted.filter(node => requested.get(node) !== key)) {
    requested.set(node, key);
    ask({ type: 'silhouette', node, pose: state.frame.pose }).then(answer => take(node, key, answer));
  }
}

/** Takes the answer to a request, unless there is a newer one; without an answer, the mask is requested again. */
function take(node, key, answer) {
  if (requested.get(node) !== key) return;
  if (answer === null) {
    requested.delete(node);
    // With the next frame if the connection was lost
    if (state.connected) setTimeout(request);
    return;
  }
  newest.set(node, { key, lines: lines(answer.silhouette) });
  redraw();
}

/** Returns the outline of a node in the displayed image; null if it is unknown. */
export function outline(node) {
  const found = newest.get(node);
  return found && found.lines.length > 0 && found.key === keyOf() ? found.lines : null;
}

/** Extracts the outline of a mask by marching squares. */
function lines({ width, height, runs }) {
  const mask = new Uint8Array(width * height);
  let at = 0;
  runs.forEach((run, i) => {
    if (i % 2) mask.fill(1, at, at + run);
    at += run;
  });
  const cell = (x, y) => (x < 0 || y < 0 || x >= width || y >= height ? 0 : mask[y * width + x]);
  const found = [];
  for (let y = -1; y < height; y++) {
    for (let x = -1; x < width; x++) {
      const [a, b, c, d] = [cell(x, y), cell(x + 1, y), cell(x + 1, y + 1), cell(x, y + 1)];
      if (a + b + c + d === 0 || a + b + c + d === 4) continue;
      const ends = [];
      if (a !== b) ends.push([x + 1, y + 0.5]);
      if (b !== c) ends.push([x + 1.5, y + 1]);
      if (c !== d) ends.push([x + 1, y + 1.5]);
      if (d !== a) ends.push([x + 0.5, y + 1]);
      for (let i = 0; i + 1 < ends.length; i += 2) found.push([ends[i], ends[i + 1]].map(([x, y]) => [x / width, y / height]));
    }
  }
  return found;
}
