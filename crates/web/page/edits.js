// Edits of the scene, sent to the server as `SceneEdit`s.

import { inverse, multiply } from './math.js';
import { send, stampInput } from './connection.js';
import { select } from './selection.js';
import { materialOf, nodeOf, state } from './state.js';

let drags = 0;

/** Returns a new number for the edits of one drag, which are a single undo step. */
export function newDrag() {
  drags += 1;
  return drags;
}

function sendEdit(edit, drag = null) {
  send({ type: 'edit', edit, drag, input: stampInput() });
}

/** Returns the transform from a node to the world. */
export function worldFromNode(id) {
  const node = nodeOf(id);
  if (!node) return null;
  const worldFromParent = node.parent === null ? null : worldFromNode(node.parent);
  return worldFromParent ? multiply(worldFromParent, node.parent_from_node) : node.parent_from_node;
}

export function transform(id, parent_from_node, drag = null) {
  if (!parent_from_node.every(Number.isFinite)) return;
  // Update panels and handles at once; the next message `scene` confirms it
  const node = nodeOf(id);
  if (node) node.parent_from_node = parent_from_node;
  sendEdit({ Transform: { id, parent_from_node } }, drag);
}

/** Sets the transform of a node from object to world space. */
export function transformInWorld(id, world, drag) {
  const node = nodeOf(id);
  const worldFromParent = node?.parent == null ? null : worldFromNode(node.parent);
  const parentFromWorld = worldFromParent ? inverse(worldFromParent) : null;
  transform(id, parentFromWorld ? multiply(parentFromWorld, world) : world, drag);
}

export const visible = (id, visible) => sendEdit({ Visible: { id, visible } });

/** Returns the ids of a node and its descendants, parents first. */
function subtree(id) {
  const found = [id];
  for (let i = 0; i < found.length; i++) {
    for (const { id: child, node } of state.scene.nodes) if (node.parent === found[i]) found.push(child);
  }
  return found;
}

export function duplicate(id) {
  let next = state.scene.next.node;
  const copies = new Map();
  const batch = subtree(id).map(old => {
    const node = structuredClone(nodeOf(old));
    copies.set(old, next);
    if (old === id) node.name += ' copy';
    else node.parent = copies.get(node.parent);
    return { Node: { id: next++, node } };
  });
  sendEdit({ Batch: batch });
  select({ node: copies.get(id), material: state.selection?.material ?? null });
}

export function remove(id) {
  select(null);
  send({ type: 'remove', node: id, input: stampInput() });
}

export function rename(id, name) {
  sendEdit({ Node: { id, node: { ...nodeOf(id), name } } });
}

export function material(id, material, drag = null) {
  const known = materialOf(id);
  if (known) state.scene.byMaterial.set(id, material);
  sendEdit({ Material: { id, material } }, drag);
}

/** Gives a node its own copy of a material. */
export function makeMaterialUnique(node, id) {
  const copy = state.scene.next.material;
  const original = nodeOf(node);
  const instance = { ...original.instance, materials: original.instance.materials.map(m => (m === id ? copy : m)) };
  const named = { ...structuredClone(materialOf(id)), name: `${materialOf(id).name} copy` };
  sendEdit({ Batch: [{ Material: { id: copy, material: named } }, { Node: { id: node, node: { ...original, instance } } }] });
  select({ node, material: copy });
}

export function light(id, light, drag = null) {
  state.scene.byLight.set(id, light);
  sendEdit({ Light: { id, light } }, drag);
}

export function addLight(light, parent_from_node) {
  const { node, light: id } = state.scene.next;
  const holder = { name: light.name, parent: null, parent_from_node, visible: true, instance: null, light: id, camera: null };
  sendEdit({ Batch: [{ Light: { id, light } }, { Node: { id: node, node: holder } }] });
  select({ node, material: null });
}

/** Removes a light, and its nodes unless they have a mesh or a camera. */
export function removeLight(id) {
  const holders = state.scene.nodes.filter(({ node }) => node.light === id);
  const batch = holders.map(({ id, node }) => ({ Node: { id, node: node.instance || node.camera !== null ? { ...node, light: null } : null } }));
  sendEdit({ Batch: [...batch, { Light: { id, light: null } }] });
  select(null);
}

export const environment = (environment, drag = null) => sendEdit({ Environment: { environment } }, drag);
