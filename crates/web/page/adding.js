// Adding a file to the scene: by the button, or by dropping it on the right half of the page.

import { element, toast } from './controls.js';
import { isEnvironmentMap, open } from './opening.js';
import { selectWhenKnown } from './selection.js';
import { state } from './state.js';
import { named, takeChosen, upload } from './upload.js';

export function start() {
  const input = document.getElementById('add-files');
  document.getElementById('add').onclick = () => input.click();
  input.onchange = () => add(takeChosen(input));
  const hint = document.getElementById('drop-hint');
  const sides = [
    element('div', {}, element('strong', { textContent: 'Open' }), 'Drop a scene here to open it'),
    element('div', {}, element('strong', { textContent: 'Add' }), 'Drop a scene here to add it to this one'),
  ];
  const map = element('p', { textContent: 'An image on an object becomes its texture; elsewhere, or as .hdr or .exr, it lights the scene' });
  hint.replaceChildren(...sides, map);
  addEventListener('dragover', event => sides.forEach((side, i) => side.classList.toggle('chosen', (i === 1) === isOnAddSide(event))));
}

/** Whether a file that is dropped here is added. */
export const isOnAddSide = ({ clientX, shiftKey }) => shiftKey || clientX > innerWidth / 2;

/** Uploads a file whose content is added to the scene, and selects it. */
export async function add(files) {
  if (files.length === 0 || !state.hello) return;
  if (isEnvironmentMap(files)) return open(files);
  toast(`Adding ${named(files)} …`);
  const { response, failure } = await upload('/add', files);
  if (failure) toast(failure, 'error');
  else selectWhenKnown((await response.json()).node);
}
