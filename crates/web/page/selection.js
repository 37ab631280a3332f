// The selected nodes: one or several, of which the last one is shown in the panels.

import { nodeOf, on, onDocument, set, state, whenKnown } from './state.js';

/** Ends the wait for a node that is to be selected. */
let forget = () => {};

/** Sets the selected nodes, and the one that is shown in the panels. */
function put(nodes, shown) {
  state.selected = nodes;
  set('selection', shown);
}

/** Selects one object and nothing else; null selects nothing. `picked` has `node`, and `material`, `position` if known. */
export function select(picked) {
  forget();
  put(picked === null ? [] : [picked.node], picked);
}

/** Selects a node in addition to others, or removes it from the selection. */
export function toggle(node) {
  selectAll(isSelected(node) ? selectedNodes().filter(other => other !== node) : [...selectedNodes(), node]);
}

/** Selects nodes; the last one is shown in the panels. */
export function selectAll(nodes) {
  forget();
  const known = nodes.filter(node => nodeOf(node) !== null);
  const last = known.at(-1);
  put(known, last === undefined ? null : { node: last, material: null });
}

/** Selects nodes that the scene may get only with its next message, if they are not selected then. */
export function selectWhenKnown(...nodes) {
  forget();
  forget = whenKnown(Math.max(...nodes), () => {
    const listed = nodes.filter(node => nodeOf(node) !== null);
    if (listed.length > 0 && listed.join() !== state.selected.join()) selectAll(listed);
  });
}

// Another scene may have other nodes with the same ids
onDocument(() => select(null));
on('scene', () => {
  if (state.selection && !nodeOf(state.selection.node)) put([], null);
});

/** Returns the ids of all selected nodes that exist. */
export function selectedNodes() {
  const shown = state.selection?.node ?? null;
  if (shown === null) return [];
  const all = state.selected.includes(shown) ? state.selected : [shown];
  return all.filter(id => nodeOf(id) !== null);
}

export const isSelected = node => selectedNodes().includes(node);

/** Returns the nodes without those that are descendants of others: what moves if all are moved. */
export function roots(nodes) {
  const all = new Set(nodes);
  return [...all].filter(id => {
    for (let parent = nodeOf(id)?.parent ?? null; parent !== null; parent = nodeOf(parent)?.parent ?? null) {
      if (all.has(parent)) return false;
    }
    return true;
  });
}

/** Whether a node and all its ancestors are visible. */
export function isVisible(id) {
  for (let node = nodeOf(id); node; node = node.parent === null ? null : nodeOf(node.parent)) {
    if (!node.visible) return false;
  }
  return true;
}

/** Selects all visible objects and lights. */
export function selectVisible() {
  const shown = ({ id, node }) => (node.instance || node.light !== null) && isVisible(id);
  selectAll((state.scene?.nodes ?? []).filter(shown).map(({ id }) => id));
}
