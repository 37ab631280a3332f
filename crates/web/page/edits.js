// Edits of the scene, sent to the server as `SceneEdit`s.

import { inverse, multiply } from './math.js';
import { send, stampInput } from './connection.js';
import { select, selectWhenKnown } from './selection.js';
import { childrenOf, materialName, materialOf, newId, nodeOf, state } from './state.js';

let drags = 0;

/** Returns a new number for the edits of one drag, which are a single undo step. */
export function newDrag() {
  drags += 1;
  return drags;
}

export function sendEdit(edit, drag = null) {
  send({ type: 'edit', edit, drag, input: stampInput() });
}

/** Undoes the edits of a drag, unless another step has followed or the server has refused them. */
export const cancelDrag = drag => send({ type: 'cancel-drag', drag, input: stampInput() });

/** Returns the transform from a node to the world. */
export function worldFromNode(id) {
  const node = nodeOf(id);
  if (!node) return null;
  const worldFromParent = node.parent === null ? null : worldFromNode(node.parent);
  return worldFromParent ? multiply(worldFromParent, node.parent_from_node) : node.parent_from_node;
}

/** Shows a transform in panels and handles at once. The next message `scene` confirms it; an `error` takes it back. */
function showTransform(id, parent_from_node) {
  const node = nodeOf(id);
  // The rows of the scene stay as the server has sent them
  if (node) state.scene.byNode.set(id, { ...node, parent_from_node });
}

export function transform(id, parent_from_node, drag = null) {
  if (!parent_from_node.every(Number.isFinite)) return;
  showTransform(id, parent_from_node);
  sendEdit({ Transform: { id, parent_from_node } }, drag);
}

/** Returns the transform of a node relative to its parent that places it in the world. */
export function relativeToParent(id, world) {
  const parent = nodeOf(id)?.parent ?? null;
  const worldFromParent = parent === null ? null : worldFromNode(parent);
  const parentFromWorld = worldFromParent ? inverse(worldFromParent) : null;
  return parentFromWorld ? multiply(parentFromWorld, world) : world;
}

/** Sets the transform of a node from object to world space. */
export function transformInWorld(id, world, drag) {
  transform(id, relativeToParent(id, world), drag);
}

/** Sets the transforms of several nodes, rows of `id` and `world`, as one edit. No node may be below another one. */
export function transformAllInWorld(rows, drag = null) {
  if (rows.length === 1) return transformInWorld(rows[0].id, rows[0].world, drag);
  const moved = rows.map(({ id, world }) => ({ id, parent_from_node: relativeToParent(id, world) }));
  if (!moved.every(({ parent_from_node }) => parent_from_node.every(Number.isFinite))) return;
  for (const { id, parent_from_node } of moved) showTransform(id, parent_from_node);
  sendEdit({ Batch: moved.map(row => ({ Transform: row })) }, drag);
}

/** Shows or hides one or several nodes. */
export function visible(ids, visible) {
  const edits = [ids].flat().map(id => ({ Visible: { id, visible } }));
  sendEdit(edits.length === 1 ? edits[0] : { Batch: edits });
}

/** Adds the groups that would be left empty to a set of nodes that are removed. */
function addEmptied(removed) {
  // A group may have children that are not listed
  if (state.scene.more_nodes > 0) return;
  for (const id of removed) {
    const parent = nodeOf(id)?.parent ?? null;
    const group = parent === null ? null : nodeOf(parent);
    const isEmpty = group && !group.instance && group.light === null && group.camera === null;
    // Parents that are added are visited, too
    if (isEmpty && childrenOf(parent).every(child => removed.has(child))) removed.add(parent);
  }
}

/** Removes one or several nodes with their descendants, and groups that are known to be left empty. */
export function remove(ids) {
  const removed = new Set([ids].flat());
  addEmptied(removed);
  select(null);
  send({ type: 'remove', nodes: [...removed], input: stampInput() });
}

/** Moves nodes up or down, so that they lie on the surface below them. */
export const drop = ids => send({ type: 'drop', nodes: ids, input: stampInput() });

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
  const copy = newId('material');
  const original = nodeOf(node);
  const instance = { ...original.instance, materials: original.instance.materials.map(m => (m === id ? copy : m)) };
  const named = { ...structuredClone(materialOf(id)), name: `${materialName(id)} copy` };
  sendEdit({ Batch: [{ Material: { id: copy, material: named } }, { Node: { id: node, node: { ...original, instance } } }] });
  select({ node, material: copy });
}

export function light(id, light, drag = null) {
  state.scene.byLight.set(id, light);
  sendEdit({ Light: { id, light } }, drag);
}

/** Adds a light and selects it; edits `before` it are the same step. */
export function addLight(light, parent_from_node, before = []) {
  const [node, id] = [newId('node'), newId('light')];
  const holder = { name: light.name, parent: null, parent_from_node, visible: true, instance: null, light: id, camera: null };
  sendEdit({ Batch: [...before, { Light: { id, light } }, { Node: { id: node, node: holder } }] });
  // Messages of earlier edits do not have it yet
  selectWhenKnown(node);
}

/** Returns the edits that remove a light, and its nodes unless they have a mesh or a camera. */
function removalOfLight(id) {
  const holders = state.scene.nodes.filter(({ node }) => node.light === id);
  const changed = holders.map(({ id, node }) => ({ Node: { id, node: node.instance || node.camera !== null ? { ...node, light: null } : null } }));
  return [...changed, { Light: { id, light: null } }];
}

export function removeLight(id) {
  sendEdit({ Batch: removalOfLight(id) });
  select(null);
}

/** Sets a stage, which replaces lights. */
export function stage(name, replaced = []) {
  // Several nodes may have the same light
  const lights = [...new Set(replaced)];
  send({ type: 'stage', name, before: lights.flatMap(removalOfLight) });
  if (lights.length > 0) select(null);
}

export function environment(environment, drag = null) {
  state.scene.editedEnvironment = environment;
  sendEdit({ Environment: { environment } }, drag);
}
