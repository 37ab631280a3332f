// Rows of the tree of objects: the hierarchy of nodes, as far as it is opened, or what a search finds.

import { childrenOf, kindOf, lightOf, nodeOf, onDocument, state } from './state.js';

/** Scenes with more nodes start with closed branches. */
const MAX_OPEN_AT_START = 200;

/** Branches that the user opened or closed. */
const opened = new Map();
/** Rows that are shown: id, node, level, number of siblings, position among them, whether it is opened (null: a leaf). */
let rows = [];

export const nameOf = (id, node) => node.name || `node ${id}`;

/** Returns the kind of a node, which is the name of its icon. */
export function nodeKind(node) {
  if (node.camera !== null) return 'camera';
  if (node.light !== null) return { Directional: 'sun', Spot: 'spot', Point: 'light' }[kindOf(lightOf(node.light)?.kind ?? 'Point')];
  return node.instance ? 'mesh' : 'group';
}

/** Another scene starts with its own open branches. */
onDocument(() => opened.clear());

const isOpen = id => opened.get(id) ?? state.scene.nodes.length <= MAX_OPEN_AT_START;

export const setOpen = (id, open) => opened.set(id, open);

/** Opens all parents of a node; returns whether one was closed. */
export function reveal(id) {
  let changed = false;
  for (let at = nodeOf(id)?.parent ?? null; at !== null && nodeOf(at); at = nodeOf(at).parent) {
    if (!isOpen(at)) changed = true;
    opened.set(at, true);
  }
  return changed;
}

/** Computes the rows; those of a search are the nodes whose names contain the text, and their parents. */
export function computeRows(query) {
  const text = query.trim().toLowerCase();
  const kept = text === '' ? null : found(text);
  rows = [];
  const visit = (parent, level, hidden) => {
    const isKept = id => kept === null || kept.has(id);
    const siblings = childrenOf(parent).filter(isKept);
    siblings.forEach((id, i) => {
      const node = nodeOf(id);
      const inside = childrenOf(id).some(isKept);
      const open = inside ? kept !== null || isOpen(id) : null;
      const isHidden = hidden || !node.visible;
      rows.push({ id, node, level, count: siblings.length, position: i + 1, open, hidden: isHidden, isMatch: kept?.get(id) ?? true });
      if (open) visit(id, level + 1, isHidden);
    });
  };
  visit(null, 1, false);
  return rows;
}

/** Returns the nodes that a search keeps, and whether each is a match rather than the parent of one. */
function found(text) {
  const kept = new Map();
  for (const { id, node } of state.scene.nodes) {
    if (!nameOf(id, node).toLowerCase().includes(text)) continue;
    kept.set(id, true);
    for (let at = node.parent; at !== null && nodeOf(at) && !kept.has(at); at = nodeOf(at).parent) kept.set(at, false);
  }
  return kept;
}
