// Two pictures side by side in one, and the divider between them. Where it is, each browser decides for itself.

import { isEditor, on, set, state } from './state.js';
import { nameOf } from './panel-method.js';
import { send } from './connection.js';

/** Of the width of the picture, for an arrow key; with Shift. */
const [STEP, LEAP] = [0.02, 0.1];

let divider;
let at = 0.5;

export function start(stage) {
  divider = document.getElementById('divider');
  divider.addEventListener('pointerdown', event => {
    event.stopPropagation();
    divider.setPointerCapture(event.pointerId);
  });
  divider.addEventListener('pointermove', event => {
    event.stopPropagation();
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const box = stage.getBoundingClientRect();
    move((event.clientX - box.left) / box.width);
  });
  divider.addEventListener('pointerup', event => event.stopPropagation());
  divider.addEventListener('keydown', event => {
    const to = { ArrowLeft: at - (event.shiftKey ? LEAP : STEP), ArrowRight: at + (event.shiftKey ? LEAP : STEP), Home: 0, End: 1 }[event.key];
    if (to === undefined) return;
    // The picture would turn
    event.stopPropagation();
    event.preventDefault();
    move(to);
  });
  divider.addEventListener('dblclick', event => {
    event.stopPropagation();
    move(0.5);
  });
  document.getElementById('split-toggle').onclick = toggle;
  on('view', show);
}

/** Only who edits can: the server computes both. */
export function toggle() {
  if (state.view && isEditor()) send({ type: 'set', settings: { split: state.view.second === null } });
}

function move(to) {
  at = Math.max(0, Math.min(1, to));
  place();
  set('divider', at);
}

/** As a share of the width; the end if nothing is compared. */
export const edge = () => (state.view?.second ? at : 1);

function show(view) {
  const { second } = view;
  divider.hidden = second === null;
  document.getElementById('split-toggle').setAttribute('aria-pressed', String(second !== null));
  document.getElementById('split-toggle').disabled = !isEditor();
  for (const [id, method] of [['side-left', view], ['side-right', second]]) {
    const label = document.getElementById(id);
    label.hidden = second === null;
    label.textContent = method ? nameOf(method) : '';
  }
  place();
}

function place() {
  const percent = Math.round(at * 100);
  divider.style.left = `${at * 100}%`;
  document.getElementById('side-left').style.right = `${100 - at * 100}%`;
  document.getElementById('side-right').style.left = `${at * 100}%`;
  divider.setAttribute('aria-valuenow', String(percent));
  divider.setAttribute('aria-valuetext', `${percent} percent from the left`);
}
