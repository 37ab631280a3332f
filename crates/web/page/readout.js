// The amount of a drag, beside the pointer.

import { pixel } from './overlay.js';

let box = null;

export function start(stage) {
  box = document.createElement('output');
  [box.id, box.hidden] = ['readout', true];
  stage.append(box);
}

/** Shows a text beside a position of the image. */
export function show(text, { x, y }) {
  const at = pixel({ x, y });
  box.textContent = text;
  box.hidden = text === '';
  const { clientWidth, clientHeight } = box.parentElement;
  box.style.left = `${Math.max(4, Math.min(clientWidth - box.offsetWidth - 4, at.x + 18))}px`;
  box.style.top = `${Math.max(4, Math.min(clientHeight - box.offsetHeight - 4, at.y + 18))}px`;
}

export const hide = () => (box.hidden = true);
