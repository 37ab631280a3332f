// State of the page, with listeners for changes.

const listeners = new Map();

export const state = {
  hello: null, // first message of the server: tables and the number of this client
  view: null, // settings of rendering and display
  scene: null, // newest message `scene`, with indices
  frame: null, // header of the displayed frame
  connected: false,
  selection: null, // { node, material, position } of the node that is shown in the panels
  selected: [], // ids of all selected nodes, see selection.js
  gizmo: 'move',
  local: false, // whether handles move and rotate along the axes of the object
};

/** Calls `listener` with the value of a key whenever it is set. */
export function on(key, listener) {
  if (!listeners.has(key)) listeners.set(key, []);
  listeners.get(key).push(listener);
}

/** Sets the value of a key and calls its listeners. An exception of one is reported and stops no other. */
export function set(key, value) {
  state[key] = value;
  for (const listener of listeners.get(key) ?? []) {
    try {
      listener(value);
    } catch (error) {
      reportError(error);
    }
  }
}

/** Calls `listener` with the first message of another scene than the one before: ids count from the start in each. */
export function onDocument(listener) {
  let shown = null;
  on('scene', scene => {
    // A restarted server numbers its scenes from the start
    const now = `${state.hello.server} ${scene.document}`;
    if (now === shown) return;
    shown = now;
    listener(scene);
  });
}

/** Ids that follow those of edits which the server may not have applied yet, by kind. */
const unused = {};
onDocument(() => Object.keys(unused).forEach(kind => delete unused[kind]));

/** Returns the id of a new `node`, `material` or `light`, and none twice. */
export function newId(kind) {
  const id = Math.max(state.scene.next[kind], unused[kind] ?? 0);
  unused[kind] = id + 1;
  return id;
}

/** What waits for nodes that are being added: `node` and `action`. */
let awaited = [];
onDocument(() => (awaited = []));

/** Whether a message of the server has a node, or has had it: its ids count up. */
const isKnown = node => state.scene.next.node > node;

on('scene', () => {
  const known = awaited.filter(({ node }) => isKnown(node));
  awaited = awaited.filter(({ node }) => !isKnown(node));
  known.forEach(({ action }) => action());
});

/**
 * Calls `action` once a message of the server has a node, which it need not list; never if another scene is opened
 * before. Returns a function that ends the wait.
 */
export function whenKnown(node, action) {
  const wait = { node, action };
  if (isKnown(node)) action();
  else awaited.push(wait);
  return () => (awaited = awaited.filter(other => other !== wait));
}

/** Whether this browser may edit. */
export const isEditor = () => state.hello !== null && state.view?.editor === state.hello.client;

/** Adds a node that the page has sent, before the server confirms it or answers with an `error`. */
export function addNode(id, node) {
  state.scene.byNode.set(id, node);
  addChild(state.scene, id, node);
}

export const nodeOf = id => state.scene?.byNode.get(id) ?? null;
export const meshOf = id => state.scene?.byMesh.get(id) ?? null;
export const materialOf = id => state.scene?.byMaterial.get(id) ?? null;
export const lightOf = id => state.scene?.byLight.get(id) ?? null;

/** Name of a material for display. */
export const materialName = id => materialOf(id)?.name || `material ${id}`;

/** Whether a material is emissive, such as that of a lamp. */
export const isEmissive = material => Math.max(...material.emission.radiance) > 0;

/** Returns the number of emissive materials. */
export const emissiveMaterials = () => state.scene.materials.filter(({ material }) => isEmissive(material)).length;

/** Returns the ids of the listed objects with a material. */
const usersOf = material => state.scene.nodes.filter(({ node }) => node.instance?.materials.includes(material)).map(({ id }) => id);

/** Whether objects besides some nodes have a material, or may have it, since they are not listed. */
export const isShared = (material, nodes) => state.scene.more_nodes > 0 || usersOf(material).some(id => !nodes.includes(id));

/** Tells how many objects have a material; null if it is a single one. */
export function usersText(material) {
  const { length } = usersOf(material);
  if (state.scene.more_nodes > 0) return `${length} or more objects`;
  return length > 1 ? `${length} objects` : null;
}

/** The environment with edits that the server has not confirmed yet. */
export const environment = () => state.scene.editedEnvironment;

/** Returns the ids of the children of a node; those of null are the nodes without a parent among the listed ones. */
export const childrenOf = id => state.scene?.children.get(id) ?? [];

/** Returns the ids of a node and its descendants, parents first. */
export function subtreeOf(id) {
  const found = [id];
  for (let i = 0; i < found.length; i++) found.push(...childrenOf(found[i]));
  return found;
}

/** Returns the kind of a variant as serialised, such as that of a light or a surface: `{ Spot: { … } }` is a `Spot`. */
export const kindOf = variant => (typeof variant === 'string' ? variant : Object.keys(variant)[0]);

/** Returns the row of a table whose default is of the same kind as a variant. */
export const rowOf = (table, variant) => table.find(row => kindOf(row.default) === kindOf(variant));

/** Returns the name of a file without its folders. */
export const fileOf = path => path.split(/[\\/]/).pop();

/** Adds indices by id to a scene of the server. */
export function indexed(scene) {
  const index = (rows, field) => new Map(rows.map(row => [row.id, field ? row[field] : row]));
  scene.byNode = index(scene.nodes, 'node');
  scene.byMesh = index(scene.meshes);
  scene.byMaterial = index(scene.materials, 'material');
  scene.byLight = index(scene.lights, 'light');
  scene.editedEnvironment = scene.environment;
  scene.children = new Map();
  for (const { id, node } of scene.nodes) addChild(scene, id, node);
  return scene;
}

/** Adds a node to the children of its parent; to those of null if that is not listed. */
function addChild({ byNode, children }, id, node) {
  const parent = byNode.has(node.parent) ? node.parent : null;
  if (children.has(parent)) children.get(parent).push(id);
  else children.set(parent, [id]);
}
