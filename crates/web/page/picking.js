// Selecting what is at a position of the image, and focusing on it.

import { focus, setOrbitCenter, viewOf } from './camera.js';
import { ask, onMessage, send } from './connection.js';
import { lightAt } from './light-icons.js';
import { diagonalOf, middleOf } from './math.js';
import { bounds, imagePose, isInImage } from './overlay.js';
import { select, toggle } from './selection.js';
import { nodeOf, state } from './state.js';

export const start = () => onMessage('focus', ({ sphere, view }) => focus(sphere, view));

/**
 * Selects what is at a position, or, if it `adds`, adds it to the selection or removes it from there. Returns a function
 * that focuses on what was selected, also before the server has told what that is; null if it does not apply.
 */
export function pick(position, adds) {
  if (!isInImage(position) || !state.connected) return null;
  const light = lightAt(position);
  if (light !== null) {
    if (adds) toggle(light);
    else select({ node: light, material: null });
    return adds ? null : focusSelection;
  }
  let focuses = false;
  pickAt(position).then(answer => {
    if (answer === null) return;
    const { picked } = answer;
    if (adds) return picked && toggle(picked.node);
    if (picked === null) return select(null);
    setOrbitCenter(picked.position);
    select(picked);
    if (focuses) focusSelection();
  });
  return adds ? null : () => (focuses = true);
}

/**
 * Returns what is at a position of the image, as `picked`, without selecting it: null if nothing is. If the server does
 * not answer, there is no such object, but null.
 */
export const pickAt = ({ x, y }) => ask({ type: 'pick', x, y, pose: imagePose() });

/** Focuses on the selected object from where the server finds a free view of it, or on the whole scene. */
export function focusSelection() {
  const node = state.selection?.node;
  const box = bounds(node) ?? state.scene?.bounds;
  if (!box) return;
  const sphere = sphereAround(box);
  if (nodeOf(node)) send({ type: 'focus', nodes: [node], sphere, wanted: viewOf(sphere) });
  else focus(sphere, viewOf(sphere));
}

/** Sphere around a box. */
export const sphereAround = box => ({ center: middleOf(box), radius: Math.max(1e-4, diagonalOf(box) / 2) });
