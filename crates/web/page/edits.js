// Every change of the scene is a SceneEdit, made here and sent.

import { inverse, multiply } from './math.js';
import { send, stampInput } from './connection.js';
import { materialOf, nodeOf, set, state } from './state.js';

let drags = 0;

/** A number for edits that belong to one movement of the hand: they are one step of undo. */
export function newDrag() {
  drags += 1;
  return drags;
}

function edit(edit, drag = null) {
  send({ type: 'edit', edit, drag, input: stampInput() });
}

/** From a node to the world. */
export function worldFromNode(id) {
  const node = nodeOf(id);
  if (!node) return null;
  const above = node.parent === null ? null : worldFromNode(node.parent);
  return above ? multiply(above, node.parent_from_node) : node.parent_from_node;
}

export function transform(id, parent_from_node, drag = null) {
  if (!parent_from_node.every(Number.isFinite)) return;
  // Shown at once in the panels and handles; the server's word comes with the next scene
  const node = nodeOf(id);
  if (node) node.parent_from_node = parent_from_node;
  edit({ Transform: { id, parent_from_node } }, drag);
}

/** Puts a node somewhere in the world. */
export function transformInWorld(id, world, drag) {
  const node = nodeOf(id);
  const above = node?.parent == null ? null : worldFromNode(node.parent);
  const back = above ? inverse(above) : null;
  transform(id, back ? multiply(back, world) : world, drag);
}

export const visible = (id, visible) => edit({ Visible: { id, visible } });

/** The node and all below it, deepest last. */
function family(id) {
  const found = [id];
  for (let i = 0; i < found.length; i++) {
    for (const { id: child, node } of state.scene.nodes) if (node.parent === found[i]) found.push(child);
  }
  return found;
}

export function duplicate(id) {
  let next = state.scene.next.node;
  const copies = new Map();
  const batch = family(id).map(old => {
    const node = structuredClone(nodeOf(old));
    copies.set(old, next);
    if (old === id) node.name += ' copy';
    else node.parent = copies.get(node.parent);
    return { Node: { id: next++, node } };
  });
  edit({ Batch: batch });
  set('selection', { node: copies.get(id), material: state.selection?.material ?? null });
}

export function remove(id) {
  set('selection', null);
  send({ type: 'remove', node: id, input: stampInput() });
}

export function rename(id, name) {
  edit({ Node: { id, node: { ...nodeOf(id), name } } });
}

export function material(id, material, drag = null) {
  const known = materialOf(id);
  if (known) state.scene.byMaterial.set(id, material);
  edit({ Material: { id, material } }, drag);
}

/** A copy of a material for this node alone. */
export function ownMaterial(node, id) {
  const copy = state.scene.next.material;
  const original = nodeOf(node);
  const instance = { ...original.instance, materials: original.instance.materials.map(m => (m === id ? copy : m)) };
  const named = { ...structuredClone(materialOf(id)), name: `${materialOf(id).name} copy` };
  edit({ Batch: [{ Material: { id: copy, material: named } }, { Node: { id: node, node: { ...original, instance } } }] });
  set('selection', { node, material: copy });
}

export function light(id, light, drag = null) {
  state.scene.byLight.set(id, light);
  edit({ Light: { id, light } }, drag);
}

export function addLight(light, parent_from_node) {
  const { node, light: id } = state.scene.next;
  const holder = { name: light.name, parent: null, parent_from_node, visible: true, instance: null, light: id, camera: null };
  edit({ Batch: [{ Light: { id, light } }, { Node: { id: node, node: holder } }] });
  set('selection', { node, material: null });
}

/** A light goes with the nodes that hold nothing else. */
export function removeLight(id) {
  const holders = state.scene.nodes.filter(({ node }) => node.light === id);
  const batch = holders.map(({ id, node }) => ({ Node: { id, node: node.instance || node.camera !== null ? { ...node, light: null } : null } }));
  edit({ Batch: [...batch, { Light: { id, light: null } }] });
  set('selection', null);
}

export const environment = (environment, drag = null) => edit({ Environment: { environment } }, drag);
