// Size of what was added: files are often in other units than metres.

import { button, toast } from './controls.js';
import { transformInWorld, worldFromNode } from './edits.js';
import { around, diagonalOf, middleOf, multiply, scaling } from './math.js';
import { bounds } from './overlay.js';
import { sizeText } from './size.js';
import { nodeOf, whenKnown } from './state.js';

/** Sizes relative to the scene between which nothing is offered. */
const [SMALL, LARGE] = [0.01, 2];
/** Size relative to the scene to which `Fit size` scales. */
const FITTING = 0.2;

/**
 * Tells the size of a node that is being added, and offers to scale it if it is far too large or too small.
 *
 * * `name` — name of its file.
 * * `sceneSizeBefore` — size of the scene without it, metres.
 */
export const tellSize = (node, name, sceneSizeBefore) => whenKnown(node, () => tell(node, name, sceneSizeBefore));

function tell(node, name, sceneSizeBefore) {
  const box = bounds(node);
  const ratio = diagonalOf(box) / sceneSizeBefore;
  const isOdd = sceneSizeBefore > 0 && ratio > 0 && (ratio < SMALL || ratio > LARGE);
  const text = `Added ${name}, ${sizeText(box)}${isOdd ? `: far ${ratio < 1 ? 'smaller' : 'larger'} than the scene` : ''}`;
  if (!isOdd) return toast(text);
  const dismiss = toast(text, 'problem', button('Fit size', () => {
    dismiss();
    fit(node, FITTING / ratio);
  }, 'Scale it to a fifth of the scene'));
}

/** Scales a node by a factor. It stays on what it stands on. */
function fit(node, factor) {
  if (!nodeOf(node)) return;
  const box = bounds(node);
  const [x, , z] = middleOf(box);
  const foot = [x, box[0][1], z];
  transformInWorld(node, multiply(around(foot, scaling([factor, factor, factor])), worldFromNode(node)));
}
