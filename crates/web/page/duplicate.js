// Copies of nodes, beside the originals.

import { pose } from './camera.js';
import { relativeToParent, sendEdit, worldFromNode } from './edits.js';
import { column, multiply, roundedUp, translation } from './math.js';
import { bounds } from './overlay.js';
import { roots, select, selectAll, selectWhenKnown } from './selection.js';
import { addNode, lightOf, newId, nodeOf, state, subtreeOf } from './state.js';

/** Returns a movement by the width of the nodes, along the axis of the ground that points most to the right. */
function besides(ids) {
  const right = column(pose().world_from_view, 0);
  const axis = Math.abs(right[0]) >= Math.abs(right[2]) ? 0 : 2;
  const boxes = ids.map(bounds).filter(Boolean);
  const low = Math.min(...boxes.map(box => box[0][axis]));
  const high = Math.max(...boxes.map(box => box[1][axis]));
  const step = [0, 0, 0];
  step[axis] = roundedUp(1.1 * (high - low)) * Math.sign(right[axis] || 1);
  return step;
}

/** Copies one or several nodes with their descendants and their lights; the copies are selected. */
export function duplicate(ids) {
  const originals = roots([ids].flat());
  const step = translation(besides(originals));
  const copies = new Map();
  const batch = originals.flatMap(root => subtreeOf(root).flatMap(old => {
    const node = structuredClone(nodeOf(old));
    const id = newId('node');
    copies.set(old, id);
    if (old === root) {
      node.name += ' copy';
      node.parent_from_node = relativeToParent(old, multiply(step, worldFromNode(old)));
    } else {
      node.parent = copies.get(node.parent);
    }
    const edits = [{ Node: { id, node } }];
    if (node.light !== null) {
      const light = newId('light');
      edits.unshift({ Light: { id: light, light: structuredClone(lightOf(node.light)) } });
      node.light = light;
    }
    // The page knows the copies at once, so that they can be selected and copied
    addNode(id, node);
    if (node.light !== null) state.scene.byLight.set(node.light, edits[0].Light.light);
    return edits;
  }));
  sendEdit({ Batch: batch });
  const created = originals.map(id => copies.get(id));
  if (created.length === 1) select({ node: created[0], material: state.selection?.material ?? null });
  else selectAll(created);
  // Messages of earlier edits do not have the copies, which are deselected then
  selectWhenKnown(...created);
}
