// Panel of the selected object's material. Models, patterns and parameters come from the server's tables.

import * as edits from './edits.js';
import { button, buttons, choice, element, empty, fact, fill, hint } from './controls.js';
import { kindButtons } from './material-kinds.js';
import { translation } from './math.js';
import { fields as parameterFields } from './parameters.js';
import { textureFields } from './texture-fields.js';
import { isEditor, kindOf, materialName, materialOf, nodeOf, rowOf, set, state, usersText } from './state.js';

export function update(panel) {
  const id = currentMaterial();
  const material = id === null ? null : materialOf(id);
  panel.hidden = !material;
  if (!material) return empty(panel);
  const users = usersText(id);
  const rows = [element('h2', { textContent: 'Material' }), slotChoice(id), fact('Name', materialName(id)), users && fact('Used by', users), users && hint('The fields of the material change all of them.')];
  if (!isEditor()) return fill(panel, ...rows.filter(Boolean));
  fill(panel, ...[...rows, users && buttons(
    button('Make single-user copy', () => edits.makeMaterialUnique(state.selection.node, id), 'Give this object its own copy of the material; else changes show on all of them'),
  ), ...fields(id, material)].filter(Boolean));
}

/** Returns the material at the picked position, else the first of the object. */
function currentMaterial() {
  const materials = nodeOf(state.selection?.node)?.instance?.materials ?? [];
  const picked = state.selection?.material;
  return materials.includes(picked) ? picked : materials[0] ?? null;
}

function slotChoice(id) {
  const materials = [...new Set(nodeOf(state.selection.node).instance.materials)];
  if (materials.length < 2) return null;
  const options = materials.map(m => [String(m), materialName(m)]);
  return choice('Slot', options, String(id), value => set('selection', { ...state.selection, material: Number(value) }));
}

const optionsOf = table => table.map(row => [kindOf(row.default), row.label]);
const capitalized = text => text[0].toUpperCase() + text.slice(1);

function fields(id, material) {
  const { surfaces, patterns, emission } = state.hello.tables;
  // Change a copy of the newest value, so that quick changes of two fields do not overwrite each other
  const change = (make, drag = null) => {
    const next = structuredClone(materialOf(id));
    make(next);
    edits.material(id, next, drag);
  };
  const model = rowOf(surfaces, material.surface);
  const pattern = material.procedural && rowOf(patterns, material.procedural.pattern);
  // Parameter tables, and the objects in a material that hold their values
  const tables = [
    [model.parameters, m => m.surface[kindOf(model.default)]],
    [pattern?.parameters ?? [], m => m.procedural?.pattern[kindOf(pattern.default)]],
    [emission, m => m.emission],
  ];
  const [surfaceFields, patternFields, emissionFields] = tables.map(([rows, holder]) => tableFields(rows, holder, material, change, id));
  return [
    kindButtons(),
    choice('Surface', optionsOf(surfaces), kindOf(model.default), kind => change(m => (m.surface = converted(model, m.surface, rowOf(surfaces, kind)))), model.summary),
    ...surfaceFields,
    choice('Pattern', [['', 'None'], ...optionsOf(patterns)], pattern ? kindOf(pattern.default) : '', kind => change(m => (m.procedural = kind ? withPattern(m, rowOf(patterns, kind)) : null)), pattern?.summary ?? 'Solid texture that multiplies the base colour'),
    ...patternFields,
    ...emissionFields,
    ...textureFields(id, material, tables, change),
  ];
}

/** Returns the fields of all rows of a table. */
const tableFields = (rows, holder, material, change, id) => rows.flatMap(row => {
  const to = (make, drag) => change(m => {
    const now = holder(m);
    if (now) now[row.name] = make(now[row.name]);
  }, drag);
  return parameterFields(row, capitalized(row.label), holder(material)[row.name], to, edits.newDrag, `material ${id} ${row.name}`);
});

/** Converts a surface to another model; the base colour, the first parameter, is kept if both have one. */
function converted(model, surface, next) {
  const created = structuredClone(next.default);
  const [before, after] = [surface[kindOf(surface)], created[kindOf(created)]];
  const [from, to] = [model.parameters[0], next.parameters[0]];
  const baseColor = { color: rgb => [...rgb, 1], 'textured-color': ({ factor }) => factor }[from.kind]?.(before[from.name]);
  if (baseColor && to.kind === 'color') after[to.name] = baseColor.slice(0, 3);
  if (baseColor && to.kind === 'textured-color') after[to.name].factor = baseColor;
  return created;
}

/** Sets another pattern and keeps its transform. */
const withPattern = (material, { default: pattern }) => ({ pattern_from_object: translation([0, 0, 0]), ...material.procedural, pattern: structuredClone(pattern) });
