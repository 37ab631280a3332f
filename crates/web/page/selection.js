// The selected nodes: one or several, of which the last one is shown in the panels.

import { nodeOf, set, state } from './state.js';

/** Selects one object and nothing else; null selects nothing. `picked` has `node`, and `material`, `position` if known. */
export function select(picked) {
  state.selected = picked === null ? [] : [picked.node];
  set('selection', picked);
}

/** Selects a node in addition to others, or removes it from the selection. */
export function toggle(node) {
  selectAll(isSelected(node) ? state.selected.filter(other => other !== node) : [...state.selected, node]);
}

/** Selects nodes; the last one is shown in the panels. */
export function selectAll(nodes) {
  state.selected = nodes.filter(node => nodeOf(node) !== null);
  const last = state.selected.at(-1);
  set('selection', last === undefined ? null : { node: last, material: null });
}

export const isSelected = node => state.selected.includes(node);
