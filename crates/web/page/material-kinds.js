// Kinds of materials that the selected objects get in one step: matte, metal, glass, mirror, light.

import { button, buttons, element, toast } from './controls.js';
import { sendEdit } from './edits.js';
import { selectedNodes } from './selection.js';
import { isShared, materialName, materialOf, newId, nodeOf, set, state } from './state.js';

const plain = rgb => ({ factor: [...rgb, 1], texture: null });

/** Returns the default of a surface from the server's table, with some of its values changed. */
function surface(kind, values) {
  const created = structuredClone(state.hello.tables.surfaces.find(row => kind in row.default).default);
  Object.assign(created[kind], values);
  return created;
}
const glossy = (color, metallic) => surface('MetallicRoughness', { base_color: plain(color), metallic, roughness: 0.25 });

/** Makes a change that replaces the surface by what `create` returns for a colour. Such a material emits no light. */
const reflecting = create => (m, color) => {
  m.surface = create(color);
  m.emission.radiance = [0, 0, 0];
};

/** Name, tooltip, and what is changed in a material. `color` is its present colour. */
const KINDS = [
  ['Matte', 'Diffuse, such as plaster', reflecting(color => surface('Lambert', { albedo: plain(color) }))],
  ['Plastic', 'Glossy and coloured', reflecting(color => glossy(color, 0))],
  ['Metal', 'Reflects in its colour', reflecting(color => glossy(color, 1))],
  ['Mirror', 'Reflects without blur', reflecting(() => surface('Mirror', { reflectance: [0.95, 0.95, 0.95] }))],
  ['Glass', 'Clear; light passes and is refracted', (m, color) => {
    reflecting(() => surface('Dielectric'))(m, color);
    [m.normal_map, m.alpha] = [null, 'Opaque'];
  }],
  ['Light', 'Emits light, and keeps its surface; the field Emission sets how much', m => (m.emission.radiance = [10, 10, 10])],
];

/** Returns the buttons. Materials that other objects have, too, or may have, are copied first. */
export function kindButtons() {
  const all = KINDS.map(([name, title, make]) => button(name, () => apply(name, make), title));
  const group = buttons(...all);
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Make the selected objects of');
  return element('div', { className: 'kinds' }, element('span', { className: 'hint', textContent: targetText() }), group);
}

/**
 * What the buttons change: `nodes` with all their `materials`, of which `changed` are replaced. That is the one that is
 * `shown` in the panel, if a single object is selected and a part of it was clicked; else it is null.
 */
function target() {
  const nodes = selectedNodes().filter(id => nodeOf(id).instance);
  const materials = [...new Set(nodes.flatMap(id => nodeOf(id).instance.materials))];
  const shown = nodes.length === 1 && materials.includes(state.selection?.material) ? state.selection.material : null;
  return { nodes, materials, shown, changed: shown === null ? materials : [shown] };
}

/** Names what the buttons change. */
function targetText() {
  const { nodes, materials, shown, changed } = target();
  const copies = changed.some(material => isShared(material, nodes));
  return `Make ${partText(nodes, materials, shown)}${copies ? ' (other objects keep their material)' : ''}:`;
}

function partText(nodes, materials, shown) {
  if (nodes.length > 1) return `the ${nodes.length} selected objects`;
  if (materials.length < 2) return 'this object';
  return shown === null ? `all ${materials.length} parts of this object` : `the part “${materialName(shown)}”`;
}

const colorOf = material => {
  const [parameters] = Object.values(material.surface);
  const color = parameters.base_color ?? parameters.albedo;
  const found = color?.factor.slice(0, 3) ?? parameters.reflectance ?? [0.6, 0.6, 0.6];
  return Math.max(...found) < 0.02 ? [0.6, 0.6, 0.6] : found;
};

/** Changes the materials of the selected objects as one edit. */
function apply(name, make) {
  const { nodes, shown, changed } = target();
  /** Copies of materials by the id of the original. */
  const copies = new Map();
  const edits = [];
  for (const id of changed) {
    const material = structuredClone(materialOf(id));
    if (!material) {
      toast(`The material ${id} is not listed, since the scene has too many: it stays as it is.`, 'error');
      continue;
    }
    make(material, colorOf(material));
    if (isShared(id, nodes)) {
      material.name = `${materialName(id)} (${name.toLowerCase()})`;
      copies.set(id, newId('material'));
    }
    edits.push({ Material: { id: copies.get(id) ?? id, material } });
  }
  for (const id of nodes) {
    const node = nodeOf(id);
    if (!node.instance.materials.some(material => copies.has(material))) continue;
    const materials = node.instance.materials.map(material => copies.get(material) ?? material);
    edits.push({ Node: { id, node: { ...node, instance: { ...node.instance, materials } } } });
  }
  if (edits.length === 0) return;
  sendEdit({ Batch: edits });
  if (shown !== null) set('selection', { ...state.selection, material: copies.get(shown) ?? shown });
}
