// Fields of a material's textures: choose one of the scene, load an image, or use none.

import { button, choice, element, toast } from './controls.js';
import { onDocument, state } from './state.js';
import { takeChosen, upload } from './upload.js';

/** References that were replaced by none, by material and slot: their coordinates are used again. */
const removed = new Map();
onDocument(() => removed.clear());

/** Encodings of textures that fit a slot. Values that are read wrongly are not offered. */
const FITTING = { color: ['srgb', 'float'], data: ['linear', 'float'] };

/**
 * Returns a field for each texture of a material.
 *
 * * `tables` — tables of parameters, each with the object in a material that holds the values.
 * * `change(make)` — edits the material by a function that changes a copy.
 */
export function textureFields(id, material, tables, change) {
  const slots = tables.flatMap(([rows, holder]) => rows.flatMap(row => {
    const name = row.label[0].toUpperCase() + row.label.slice(1);
    if (row.kind === 'texture') {
      const kind = row.name === 'texture' ? 'color' : 'data';
      return [{ name, slot: row.name, kind, holder, field: row.name, whiten: kind === 'color' && whiten('radiance') }];
    }
    if (row.kind !== 'textured-color') return [];
    const color = m => holder(m)?.[row.name];
    return [{ name: `${name} texture`, slot: row.name, kind: 'color', holder: color, field: 'texture', whiten: color => (color.factor = [1, 1, 1, color.factor[3]]) }];
  }));
  // A normal map has a scale beside its texture
  const normals = { name: 'Normal map', slot: 'normal_map', kind: 'data', holder: m => m, field: 'normal_map', wrap: texture => ({ scale: 1, texture }) };
  return [...slots, normals].map(slot => field(id, material, slot, change));
}

/** Makes a colour white, which would hide its texture if it stayed black. */
const whiten = name => holder => {
  if (Math.max(...holder[name]) === 0) holder[name] = [1, 1, 1];
};

function field(id, material, { name, slot, kind, holder, field, whiten, wrap = texture => texture }, change) {
  const key = `${id}/${slot}`;
  const value = holder(material)?.[field] ?? null;
  const now = value?.texture?.texture === undefined ? value : value.texture;
  const fitting = state.scene.textures.filter(({ id, encoding }) => FITTING[kind].includes(encoding) || id === now?.texture);
  const options = [['', 'None'], ...fitting.map(texture => [String(texture.id), textureName(texture)])];
  const choose = chosen => change(m => {
    const target = holder(m);
    if (!target) return;
    // The field may show an older value than that of the material
    const newest = target[field] ?? null;
    if (chosen === '') {
      if (newest !== null) removed.set(key, newest);
      target[field] = null;
      return;
    }
    if (newest === null) whiten?.(target);
    const before = newest ?? removed.get(key) ?? wrap({ texture: 0, uv_set: 0, uv_transform: [1, 0, 0, 1, 0, 0] });
    const reference = before.texture?.texture === undefined ? before : before.texture;
    const next = { ...reference, texture: Number(chosen) };
    target[field] = reference === before ? next : { ...before, texture: next };
  });
  const row = choice(name, options, now === null ? '' : String(now.texture), choose, sizeOf(now) ?? 'Texture that multiplies the value; “Load …” adds an image to the scene');
  row.classList.add('texture');
  if (now !== null) {
    row.append(element('img', { className: 'thumbnail', src: thumbnail(now.texture), alt: '', width: 30, height: 30 }));
  }
  const load = button('Load …', () => chooseImage(id, slot), `Load an image as ${name.toLowerCase()}`);
  load.setAttribute('aria-label', `Load image as ${name.toLowerCase()}`);
  row.append(load);
  return row;
}

/** Address of a small picture of a texture. No id of an opened scene is ever that of another texture. */
function thumbnail(texture) {
  const query = new URLSearchParams({ texture, content: `${state.hello.server}-${state.scene.document}` });
  return `/thumbnail.png?${query}`;
}

const textureName = ({ id, name }) => name || `texture ${id}`;

/** Name and size of the texture that is used; null if there is none. */
function sizeOf(now) {
  const texture = state.scene.textures.find(({ id }) => id === now?.texture);
  return texture ? `${textureName(texture)}, ${texture.width} × ${texture.height}` : null;
}

/** Lets the user choose a file, which becomes the texture of a material. */
function chooseImage(material, slot) {
  const files = element('input', { type: 'file', accept: 'image/*,.hdr,.exr,.tga,.dds' });
  files.addEventListener('change', () => {
    const [image] = takeChosen(files);
    if (image) assignImage(material, slot, image);
  });
  files.click();
}

/** Uploads an image, a row of `name` and `file`, as texture of a material; returns whether it is one now. */
export async function assignImage(material, slot, image) {
  const { failure } = await upload(`/texture?${new URLSearchParams({ material, slot })}`, [image], 'Loading');
  if (failure) toast(failure, 'error');
  return !failure;
}
