// The material of what is picked. Its models, patterns and their parameters are those of the server's tables.

import * as edits from './edits.js';
import { button, buttons, check, choice, fact, fill, hint } from './controls.js';
import { translation } from './math.js';
import { fields as parameterFields } from './parameters.js';
import { isEditor, materialOf, nodeOf, set, state } from './state.js';

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

/** As it is written in materials: `{ Lambert: { … } }` is a `Lambert`. */
const kindOf = variant => Object.keys(variant)[0];
const rowOf = (table, variant) => table.find(row => kindOf(row.default) === kindOf(variant));
const optionsOf = table => table.map(row => [kindOf(row.default), row.label]);
const capital = text => text[0].toUpperCase() + text.slice(1);

function fields(id, material) {
  const { surfaces, patterns, emission } = state.hello.tables;
  // Always from the newest, so that quick changes of two fields do not undo each other
  const change = (make, drag = null) => {
    const next = structuredClone(materialOf(id));
    make(next);
    edits.material(id, next, drag);
  };
  const model = rowOf(surfaces, material.surface);
  const pattern = material.procedural && rowOf(patterns, material.procedural.pattern);
  const chosen = (table, kind) => table.find(row => kindOf(row.default) === kind);
  // The tables, and where a material has what they describe
  const tables = [
    [model.parameters, m => m.surface[kindOf(model.default)]],
    [pattern?.parameters ?? [], m => m.procedural?.pattern[kindOf(pattern.default)]],
    [emission, m => m.emission],
  ];
  const [ofSurface, ofPattern, ofEmission] = tables.map(([rows, holder]) => ofTable(rows, holder, material, change));
  return [
    choice('Surface', optionsOf(surfaces), kindOf(model.default), kind => change(m => (m.surface = replaced(model, m.surface, chosen(surfaces, kind)))), model.summary),
    ...ofSurface,
    choice('Pattern', [['', 'None'], ...optionsOf(patterns)], pattern ? kindOf(pattern.default) : '', kind => change(m => (m.procedural = kind ? patterned(m, chosen(patterns, kind)) : null)), pattern?.summary ?? 'Multiplies the colour of the surface'),
    ...ofPattern,
    ...ofEmission,
    ...textures(id, material, tables, change),
  ];
}

/** The fields of all rows. */
const ofTable = (rows, holder, material, change) => rows.flatMap(row => {
  const to = (make, drag) => change(m => {
    const now = holder(m);
    if (now) now[row.name] = make(now[row.name]);
  }, drag);
  return parameterFields(row, capital(row.label), holder(material)[row.name], to, edits.newDrag);
});

/** A surface of another model. Where the first parameter of both is a colour, it is kept. */
function replaced(model, surface, next) {
  const made = structuredClone(next.default);
  const [before, after] = [surface[kindOf(surface)], made[kindOf(made)]];
  const [from, to] = [model.parameters[0], next.parameters[0]];
  const colored = { color: rgb => [...rgb, 1], 'textured-color': ({ factor }) => factor }[from.kind]?.(before[from.name]);
  if (colored && to.kind === 'color') after[to.name] = colored.slice(0, 3);
  if (colored && to.kind === 'textured-color') after[to.name].factor = colored;
  return made;
}

/** A pattern where the one before was. */
const patterned = (material, { default: pattern }) => ({ pattern_from_object: translation([0, 0, 0]), ...material.procedural, pattern: structuredClone(pattern) });

/** Each texture can be switched off and on again. */
function textures(id, material, tables, change) {
  const places = tables.flatMap(([rows, holder]) => rows.flatMap(row => {
    if (row.kind === 'texture') return [[capital(row.label), holder, row.name]];
    if (row.kind === 'textured-color') return [[`${capital(row.label)} texture`, m => holder(m)?.[row.name], 'texture']];
    return [];
  }));
  return [...places, ['Normal map', m => m, 'normal_map']].map(([name, holder, field]) => {
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
