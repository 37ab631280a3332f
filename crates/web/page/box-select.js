// Selection of the objects in a rectangle that is dragged with Ctrl or Alt.

import { element } from './controls.js';
import { lightPosition, isLight } from './light-icons.js';
import { middleOf } from './math.js';
import { bounds, imageRect, pixel, screen } from './overlay.js';
import { isVisible, selectAll, selectedNodes } from './selection.js';
import { nodeOf, state } from './state.js';

/** Starts a rectangle at a position of the image. It `adds` to the selection, or replaces it. */
export function startBox(stage, from, adds) {
  const box = element('div', { id: 'select-box' });
  stage.append(box);
  let to = from;
  return {
    isRectangle: true,
    move(position) {
      to = position;
      const rect = imageRect();
      const corner = pixel({ x: Math.min(from.x, to.x), y: Math.min(from.y, to.y) });
      box.style.left = `${corner.x}px`;
      box.style.top = `${corner.y}px`;
      box.style.width = `${Math.abs(to.x - from.x) * rect.width}px`;
      box.style.height = `${Math.abs(to.y - from.y) * rect.height}px`;
    },
    drop() {
      box.remove();
      const found = nodesBetween(from, to);
      selectAll(adds ? [...new Set([...selectedNodes(), ...found])] : found);
    },
    cancel: () => box.remove(),
  };
}

/** Returns the visible objects and lights whose centre is in a rectangle of the image. */
function nodesBetween(a, b) {
  const rect = imageRect();
  const within = (x, from, to) => x >= Math.min(from, to) && x <= Math.max(from, to);
  return state.scene.nodes.filter(({ id, node }) => {
    if ((!node.instance && node.light === null) || !isVisible(id)) return false;
    const at = screen(isLight(node) ? lightPosition(id, nodeOf(id)) : middleOf(bounds(id)));
    return at && at.depth > 0 && within((at.x - rect.x) / rect.width, a.x, b.x) && within((at.y - rect.y) / rect.height, a.y, b.y);
  }).map(({ id }) => id);
}
