// What the page knows. Whoever wants to hear of a change says so; nobody else is asked.

const listeners = new Map();

export const state = {
  hello: null, // of the server: tables, our number
  view: null, // how pictures are made and shown
  scene: null, // everything but vertices and texels
  frame: null, // header of the frame that is seen
  connected: false,
  selection: null, // { node, material, position }
  gizmo: 'move',
};

export function on(key, listener) {
  if (!listeners.has(key)) listeners.set(key, []);
  listeners.get(key).push(listener);
}

export function set(key, value) {
  state[key] = value;
  for (const listener of listeners.get(key) ?? []) listener(value);
}

/** Whether this browser is the one that edits. */
export const isEditor = () => state.hello !== null && state.view?.editor === state.hello.client;

export const nodeOf = id => state.scene?.byNode.get(id) ?? null;
export const meshOf = id => state.scene?.byMesh.get(id) ?? null;
export const materialOf = id => state.scene?.byMaterial.get(id) ?? null;
export const lightOf = id => state.scene?.byLight.get(id) ?? null;

/** A scene as it came, with ways to find things. */
export function indexed(scene) {
  const by = (rows, field) => new Map(rows.map(row => [row.id, field ? row[field] : row]));
  scene.byNode = by(scene.nodes, 'node');
  scene.byMesh = by(scene.meshes);
  scene.byMaterial = by(scene.materials, 'material');
  scene.byLight = by(scene.lights, 'light');
  return scene;
}
