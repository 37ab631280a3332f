// Adding a file to the scene: by the button, or by dropping it at its place in the image.

import { tellSize } from './added-size.js';
import { toast } from './controls.js';
import { isEnvironmentMap, open } from './opening.js';
import { isInImage, positionIn } from './overlay.js';
import { selectWhenKnown } from './selection.js';
import { sceneSize } from './size.js';
import { state } from './state.js';
import { nameOfFiles, takeChosen, upload } from './upload.js';

export function start() {
  const input = document.getElementById('add-files');
  document.getElementById('add').onclick = () => input.click();
  input.onchange = () => add(takeChosen(input));
}

/** Whether a file that is dropped here is added: right of the part of the page that the hint shows for opening. */
export const isOnAddSide = ({ clientX, shiftKey }) => shiftKey || clientX > innerWidth / 4;

/**
 * Uploads a file whose content is added to the scene, and selects it.
 *
 * * `event` — drop of the file; on the image, the content is put on the surface there, else on the one in its middle.
 */
export async function add(files, event = null) {
  if (files.length === 0 || !state.hello) return;
  if (isEnvironmentMap(files)) return open(files);
  const sizeBefore = sceneSize();
  const { response, failure } = await upload(`/add${placeOf(event)}`, files, 'Adding');
  if (failure) {
    toast(failure, 'error');
    return;
  }
  const { node } = await response.json();
  selectWhenKnown(node);
  tellSize(node, nameOfFiles(files), sizeBefore);
}

/** Query with the position of a drop in the image; empty elsewhere. */
function placeOf(event) {
  if (!event?.target.closest?.('#stage')) return '';
  const position = positionIn(event);
  return isInImage(position) ? `?${new URLSearchParams(position)}` : '';
}
