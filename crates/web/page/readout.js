// The amount of a drag, beside the pointer.

import { imageRect } from './overlay.js';

let box = null;

export function start(stage) {
  box = document.createElement('output');
  [box.id, box.hidden] = ['readout', true];
  stage.append(box);
}

/** Shows a text beside a position of the image. */
export function show(text, { x, y }) {
  const rect = imageRect();
  box.textContent = text;
  box.hidden = text === '';
  const { clientWidth, clientHeight } = box.parentElement;
  box.style.left = `${Math.max(4, Math.min(clientWidth - box.offsetWidth - 4, rect.x + x * rect.width + 18))}px`;
  box.style.top = `${Math.max(4, Math.min(clientHeight - box.offsetHeight - 4, rect.y + y * rect.height + 18))}px`;
}

export const hide = () => (box.hidden = true);
