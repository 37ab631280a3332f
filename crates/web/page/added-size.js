// Size of what was added: files are often in other units than metres.

import { button, toast } from './controls.js';
import { transformInWorld, worldFromNode } from './edits.js';
import { around, diagonalOf, middleOf, multiply, scaling } from './math.js';
import { meshBounds } from './overlay.js';
import { sizeText } from './size.js';
import { nodeOf, onDocument, whenKnown } from './state.js';

/** Sizes relative to the scene between which nothing is offered. */
const [SMALL, LARGE] = [0.01, 2];
/** Size relative to the scene to which `Fit size` scales. */
const FITTING = 0.2;
/** Functions that remove the messages with an offer. */
let offers = [];

// Another scene may have other nodes with the same ids
onDocument(() => {
  offers.forEach(dismiss => dismiss());
  offers = [];
});

/**
 * Tells the size of a node that is being added, and offers to scale it if it is far too large or too small.
 *
 * * `name` — name of its file.
 * * `sceneSizeBefore` — size of the scene without it, metres.
 */
export const tellSize = (node, name, sceneSizeBefore) => whenKnown(node, () => tell(node, name, sceneSizeBefore));

function tell(node, name, sceneSizeBefore) {
  // A file of lights alone has no size
  const box = meshBounds(node);
  const ratio = box ? diagonalOf(box) / sceneSizeBefore : 0;
  const isOdd = sceneSizeBefore > 0 && ratio > 0 && (ratio < SMALL || ratio > LARGE);
  const text = `Added ${name}${box ? `, ${sizeText(box)}` : ''}${isOdd ? `: far ${ratio < 1 ? 'smaller' : 'larger'} than the scene` : ''}`;
  if (!isOdd) return toast(text);
  const dismiss = toast(text, 'problem', button('Fit size', () => {
    dismiss();
    fit(node, FITTING * sceneSizeBefore);
  }, 'Scale it to a fifth of the scene'));
  offers.push(dismiss);
}

/** Scales a node to a size in metres. It stays on what it stands on. */
function fit(node, size) {
  // It may have been scaled or removed since it was added
  const box = nodeOf(node) && meshBounds(node);
  if (!box) return;
  const factor = size / diagonalOf(box);
  const [x, , z] = middleOf(box);
  const foot = [x, box[0][1], z];
  transformInWorld(node, multiply(around(foot, scaling([factor, factor, factor])), worldFromNode(node)));
}
