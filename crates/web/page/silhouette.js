// The outline of what is picked, from a mask of where it is seen.

import { onMessage, send } from './connection.js';
import { on, state } from './state.js';

/** What the newest answer is of, and its lines, 0 … 1 across and down the picture. */
let known = null;
let asked = null;
let redraw = () => {};

const keyOf = () => JSON.stringify([state.selection?.node, state.frame?.revision, state.frame?.pose]);

export function start(changed) {
  redraw = changed;
  for (const key of ['frame', 'selection']) on(key, ask);
  onMessage('silhouette', ({ silhouette }) => {
    known = { key: asked, lines: lines(silhouette) };
    redraw();
  });
}

/** Only at rest: while something moves, a box is enough. */
function ask() {
  const node = state.selection?.node;
  if (node === undefined || node === null || state.frame?.mode !== 'rest' || asked === keyOf()) return;
  asked = keyOf();
  send({ type: 'silhouette', node, pose: state.frame.pose });
}

/** Lines of what is picked as it is seen now; null if they are not known. */
export const outline = () => (known !== null && known.lines.length > 0 && known.key === keyOf() ? known.lines : null);

/** Marching squares over the cells of a mask. */
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
