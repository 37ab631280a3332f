// An image that is dropped on an object becomes the texture of its colour.

import { toast } from './controls.js';
import { extensionOf, isEnvironmentMap, mapTypes } from './opening.js';
import { isInImage, positionIn } from './overlay.js';
import { pickAt } from './picking.js';
import { CONTROLS } from './pointer.js';
import { ask } from './question.js';
import { select } from './selection.js';
import { materialName, materialOf, meshOf, nodeOf, rowOf, state, usersText } from './state.js';
import { assignImage } from './texture-fields.js';
import { nameOf } from './tree-model.js';

/** Extensions of images of the whole environment, which light the scene wherever they are dropped. */
const PANORAMAS = ['hdr', 'exr'];
/** Extensions of images without a type of their own in browsers. */
const TYPELESS = ['tga', 'dds'];

/** Whether files are an image that can be a texture. */
function isImage(files) {
  if (files.length !== 1) return false;
  const extension = extensionOf(files[0]);
  return !PANORAMAS.includes(extension) && (files[0].file.type.startsWith('image/') || TYPELESS.includes(extension));
}

/** Name of the parameter that is the colour of a material and can have a texture; undefined if there is none. */
function colorSlot(material) {
  return rowOf(state.hello.tables.surfaces, material.surface)?.parameters.find(row => row.kind === 'textured-color')?.name;
}

/** Why an image cannot be the texture of what was picked; null if it can. */
function obstacle({ node: id, name, material: materialId }) {
  const node = nodeOf(id);
  if (!node) return `${name || `node ${id}`} is not listed, since the scene has too many objects: an image cannot become its texture.`;
  const material = materialId === null ? null : materialOf(materialId);
  if (!material) return `${nameOf(id, node)} has no material, or one that is not listed.`;
  if (!colorSlot(material)) return `The material ${materialName(materialId)} of ${nameOf(id, node)} has no colour that can have a texture.`;
  if (!meshOf(node.instance.mesh)?.has_uv) return `${nameOf(id, node)} has no texture coordinates, so that an image would be a single colour on it.`;
  return null;
}

/** Explains that an image is of no use where it was dropped. */
function explainUse(image) {
  toast(`${image.name} cannot light the scene: only images of the types ${mapTypes()} can. Drop it on an object to make it the texture of its colour.`, 'error');
}

/**
 * Returns what is below the pointer in the image, as `picked`: null beside all objects and beside the image. If the
 * server does not answer, there is no such object, but null.
 */
function pickBelow(event) {
  const position = positionIn(event);
  const isOnImage = event.target.closest?.('#stage') && !event.target.closest(CONTROLS) && isInImage(position);
  return isOnImage ? pickAt(position) : { picked: null };
}

/**
 * Makes an image the texture of the object on which it is dropped. Returns whether that is all: if not, such as an
 * environment map beside all objects, the files are to be opened.
 */
export async function dropImage(files, event) {
  if (!state.hello || !isImage(files)) return false;
  const [image] = files;
  const canLight = isEnvironmentMap(files);
  const below = await pickBelow(event);
  if (below === null) {
    toast('The server did not tell what is below the image: drop it again.', 'error');
    return true;
  }
  const { picked } = below;
  if (picked === null) {
    if (!canLight) explainUse(image);
    return !canLight;
  }
  const why = obstacle(picked);
  if (why && !canLight) {
    toast(why, 'error');
    return true;
  }
  if (why) {
    const text = `${why} The image can light the scene instead.`;
    const answer = await ask('Image on an object', text, [['light', 'Light the scene with it'], ['cancel', 'Cancel']]);
    return answer !== 'light';
  }
  select({ node: picked.node, material: picked.material });
  const name = materialName(picked.material);
  if (!(await assignImage(picked.material, colorSlot(materialOf(picked.material)), image))) return true;
  const users = usersText(picked.material);
  toast(`${image.name} is the colour of ${name}${users ? `, the material of ${users}` : ''}.`);
  return true;
}
