// Outline of the selected object, from its visibility mask.

import { onMessage, send } from './connection.js';
import { on, state } from './state.js';

/** Key of the newest mask, and its outline: line segments, 0 … 1 from the upper left corner. */
let newest = null;
/** Key of the newest request. */
let requested = null;
let redraw = () => {};

const keyOf = () => JSON.stringify([state.selection?.node, state.frame?.revision, state.frame?.pose]);

export function start(changed) {
  redraw = changed;
  for (const key of ['frame', 'selection']) on(key, request);
  onMessage('silhouette', ({ silhouette }) => {
    newest = { key: requested, lines: lines(silhouette) };
    redraw();
  });
}

/** Requests the mask at rest; while something moves, the bounding box is drawn. */
function request() {
  const node = state.selection?.node;
  if (node === undefined || node === null || state.frame?.mode !== 'rest' || requested === keyOf()) return;
  requested = keyOf();
  send({ type: 'silhouette', node, pose: state.frame.pose });
}

/** Returns the outline in the displayed image; null if it is unknown. */
export const outline = () => (newest !== null && newest.lines.length > 0 && newest.key === keyOf() ? newest.lines : null);

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
