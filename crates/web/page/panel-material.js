// The material of what is picked.

import * as edits from './edits.js';
import { button, buttons, check, choice, color, fact, fill, hint, slider } from './controls.js';
import { colorOf, hexOf } from './math.js';
import { isEditor, materialOf, nodeOf, set, state } from './state.js';

const GREY = [0.6, 0.6, 0.6, 1];
/** How a surface of each kind begins. */
const KINDS = {
  MetallicRoughness: color => ({ base_color: { factor: color, texture: null }, metallic: 0, roughness: 0.5, metallic_roughness_texture: null }),
  Lambert: color => ({ albedo: { factor: color, texture: null } }),
  Mirror: color => ({ reflectance: color.slice(0, 3) }),
  Dielectric: () => ({ ior: 1.5, tint: [1, 1, 1] }),
};
const NAMES = [
  ['MetallicRoughness', 'Rough or metal'],
  ['Lambert', 'Matt'],
  ['Mirror', 'Mirror'],
  ['Dielectric', 'Glass (transmits)'],
];

/** Textures that were switched off, to be switched on again. */
const switchedOff = new Map();

export function update(panel) {
  const id = current();
  const material = id === null ? null : materialOf(id);
  if (!material) return fill(panel, hint('The material of the picked object appears here.'));
  const users = state.scene.nodes.filter(({ node }) => node.instance?.materials.includes(id)).length;
  const rows = [slotChoice(id), fact('Name', material.name || `material ${id}`), users > 1 && fact('Used by', `${users} objects`)];
  if (!isEditor()) return fill(panel, ...rows.filter(Boolean));
  fill(panel, ...[...rows, ...fields(id, material), users > 1 && buttons(
    button('Make it this object’s own', () => edits.ownMaterial(state.selection.node, id), 'A copy that only this object has'),
  )].filter(Boolean));
}

/** Where the click was, or the first. */
function current() {
  const materials = nodeOf(state.selection?.node)?.instance?.materials ?? [];
  const picked = state.selection?.material;
  return materials.includes(picked) ? picked : materials[0] ?? null;
}

function slotChoice(id) {
  const materials = [...new Set(nodeOf(state.selection.node).instance.materials)];
  if (materials.length < 2) return null;
  const options = materials.map(m => [String(m), materialOf(m)?.name || `material ${m}`]);
  return choice('Part', options, String(id), value => set('selection', { ...state.selection, material: Number(value) }));
}

function fields(id, material) {
  const [kind] = Object.keys(material.surface);
  // Always from the newest, so that quick changes of two fields do not undo each other
  const change = (make, drag = null) => {
    const next = structuredClone(materialOf(id));
    make(next, next.surface[kind]);
    edits.material(id, next, drag);
  };
  const surface = material.surface[kind];
  return [
    choice('Surface', NAMES, kind, next => change(m => (m.surface = { [next]: KINDS[next](colorFor(surface)) })), 'How it scatters light'),
    ...(surfaceFields[kind]?.(surface, change) ?? []),
    ...emission(material, change),
    ...textures(id, material, surface, change),
  ];
}

const colorFor = surface => (surface.base_color ?? surface.albedo)?.factor ?? [...(surface.reflectance ?? GREY), 1].slice(0, 4);
const paint = (target, hex) => (target.factor = [...colorOf(hex), target.factor[3]]);
const drag = edits.newDrag;

const surfaceFields = {
  MetallicRoughness: (s, change) => [
    color('Base colour', hexOf(s.base_color.factor), (hex, d) => change((_, s) => paint(s.base_color, hex), d), drag),
    slider('Roughness', s.roughness, { drag }, (x, d) => change((_, s) => (s.roughness = x), d)),
    slider('Metal', s.metallic, { drag }, (x, d) => change((_, s) => (s.metallic = x), d)),
  ],
  Lambert: (s, change) => [color('Base colour', hexOf(s.albedo.factor), (hex, d) => change((_, s) => paint(s.albedo, hex), d), drag)],
  Mirror: (s, change) => [color('Reflectance', hexOf(s.reflectance), (hex, d) => change((_, s) => (s.reflectance = colorOf(hex)), d), drag)],
  Dielectric: (s, change) => [
    slider('Index of refraction', s.ior, { least: 1, most: 3, drag }, (x, d) => change((_, s) => (s.ior = x), d)),
    color('Tint', hexOf(s.tint), (hex, d) => change((_, s) => (s.tint = colorOf(hex)), d), drag),
  ],
};

/** A colour and how bright it is. */
function emission(material, change) {
  const radiance = material.emission.radiance;
  const power = Math.max(...radiance);
  const tone = power > 0 ? radiance.map(x => x / power) : [1, 1, 1];
  const set_to = (tone, power, d) => change(m => (m.emission.radiance = tone.map(x => x * power)), d);
  return [
    slider('Emission', power, { most: Math.max(100, power * 2), log: true, unit: 'W/(m² sr)', drag, title: 'Radiance of the surface' }, (x, d) => set_to(tone, x, d)),
    power > 0 ? color('Its colour', hexOf(tone), (hex, d) => set_to(colorOf(hex), power, d), drag) : null,
  ];
}

/** Each texture can be switched off and on again. */
function textures(id, material, surface, change) {
  const places = [
    ['Colour texture', m => Object.values(m.surface)[0].base_color ?? Object.values(m.surface)[0].albedo, 'texture'],
    ['Roughness texture', m => Object.values(m.surface)[0], 'metallic_roughness_texture'],
    ['Normal map', m => m, 'normal_map'],
    ['Emission texture', m => m.emission, 'texture'],
  ];
  return places.map(([name, holder, field]) => {
    const key = `${id}/${name}`;
    const now = holder(material)?.[field] ?? null;
    if (now === null && !switchedOff.has(key)) return null;
    return check(name, now !== null, wanted => change(m => {
      const place = holder(m);
      if (!place) return;
      if (!wanted) switchedOff.set(key, place[field]);
      place[field] = wanted ? switchedOff.get(key) ?? null : null;
    }));
  });
}
