// Comparison of two images with a divider, whose position is local to each browser.

import { isEditor, on, set, state } from './state.js';
import { nameOf } from './panel-method.js';
import { send } from './connection.js';

/** Steps of the arrow keys as a fraction of the width, without and with Shift. */
const [SMALL_STEP, LARGE_STEP] = [0.02, 0.1];

let divider;
/** Position of the divider as a fraction of the width. */
let position = 0.5;
/** Whether this page has just switched the comparison on. */
let isStarting = false;

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
    const to = { ArrowLeft: position - (event.shiftKey ? LARGE_STEP : SMALL_STEP), ArrowRight: position + (event.shiftKey ? LARGE_STEP : SMALL_STEP), Home: 0, End: 1 }[event.key];
    if (to === undefined) return;
    // Do not orbit the camera
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

/** Switches the comparison on or off; only the editor can. */
export function toggle() {
  if (!state.view || !isEditor()) return;
  isStarting = state.view.second === null;
  send({ type: 'set', settings: { split: isStarting } });
}

/** Gives the second image another algorithm, if the comparison starts with two equal ones. */
function differ({ algorithm, channel, second }) {
  if (!isStarting || second === null) return;
  isStarting = false;
  if (algorithm !== second.algorithm || channel !== second.channel) return;
  send({ type: 'set', settings: { second: { algorithm: algorithm === 'igi' ? 'path' : 'igi' } } });
}

function move(to) {
  position = Math.max(0, Math.min(1, to));
  placeDivider();
  set('divider', position);
}

/** Position of the divider as a fraction of the width; 1 if nothing is compared. */
export const dividerPosition = () => (state.view?.second ? position : 1);

function show(view) {
  const { second } = view;
  differ(view);
  divider.hidden = second === null;
  document.getElementById('split-toggle').setAttribute('aria-pressed', String(second !== null));
  document.getElementById('split-toggle').disabled = !isEditor();
  for (const [id, method] of [['side-left', view], ['side-right', second]]) {
    const label = document.getElementById(id);
    label.hidden = second === null;
    label.textContent = method ? nameOf(method) : '';
  }
  nameDownloads(second !== null);
  placeDivider();
}

/** The menu for saving says which of two images is saved, and offers both. */
function nameDownloads(compares) {
  const links = { '/picture.png': 'mage as PNG', '/picture.exr': 'mage as EXR (linear)' };
  for (const [path, text] of Object.entries(links)) {
    document.querySelector(`#save-menu a[href="${path}"]`).textContent = compares ? `Left i${text}` : `I${text}`;
  }
  for (const id of ['save-right', 'save-right-exr']) document.getElementById(id).hidden = !compares;
}

function placeDivider() {
  const percent = Math.round(position * 100);
  divider.style.left = `${position * 100}%`;
  document.getElementById('side-left').style.right = `${100 - position * 100}%`;
  document.getElementById('side-right').style.left = `${position * 100}%`;
  divider.setAttribute('aria-valuenow', String(percent));
  divider.setAttribute('aria-valuetext', `${percent} percent from the left`);
}
