// Selecting what is at a position of the image, and focusing on it.

import { focus, setOrbitCenter, viewOf } from './camera.js';
import { onMessage, send } from './connection.js';
import { lightAt } from './light-icons.js';
import { diagonalOf, middleOf } from './math.js';
import { bounds, imagePose, isInImage } from './overlay.js';
import { select, toggle } from './selection.js';
import { nodeOf, on, state } from './state.js';

/**
 * Picks that the server has not answered yet, by their numbers, the oldest first: whether each adds to the selection,
 * and is focused; or who gets its answer.
 */
const sent = new Map();
/** Number of picks so far. */
let picks = 0;

export function start() {
  on('connected', () => forgetUpTo(picks));
  onMessage('picked', ({ number, picked }) => {
    const request = sent.get(number);
    if (!request) return;
    sent.delete(number);
    forgetUpTo(number);
    const { adds, focuses, answer } = request;
    if (answer) return answer(picked);
    if (adds) return picked && toggle(picked.node);
    if (picked === null) return select(null);
    setOrbitCenter(picked.position);
    select(picked);
    if (focuses) focusSelection();
  });
  onMessage('focus', ({ sphere, view }) => focus(sphere, view));
}

/**
 * Selects what is at a position, or, if it `adds`, adds it to the selection or removes it from there. Returns a function
 * that focuses on what was selected, also before the server has told what that is; null if it does not apply.
 */
export function pick(position, adds) {
  if (!isInImage(position) || !state.connected) return null;
  const light = lightAt(position);
  if (light !== null) {
    if (adds) toggle(light);
    else select({ node: light, material: null });
    return adds ? null : focusSelection;
  }
  const request = { adds, focuses: false };
  ask(request, position);
  return adds ? null : () => (request.focuses = true);
}

/** Returns what is at a position, without selecting it; null if nothing is, or if the server does not answer. */
export function pickAt(position) {
  if (!isInImage(position) || !state.connected) return Promise.resolve(null);
  return new Promise(answer => ask({ answer }, position));
}

function ask(request, { x, y }) {
  picks += 1;
  sent.set(picks, request);
  send({ type: 'pick', x, y, pose: imagePose(), number: picks });
}

/** Ends requests that get no answer any more: of an earlier connection, or refused or lost before a later one. */
function forgetUpTo(last) {
  for (const [number, { answer }] of sent) {
    if (number > last) return;
    sent.delete(number);
    answer?.(null);
  }
}

/** Focuses on the selected object from where the server finds a free view of it, or on the whole scene. */
export function focusSelection() {
  const node = state.selection?.node;
  const box = bounds(node) ?? state.scene?.bounds;
  if (!box) return;
  const sphere = sphereAround(box);
  if (nodeOf(node)) send({ type: 'focus', nodes: [node], sphere, wanted: viewOf(sphere) });
  else focus(sphere, viewOf(sphere));
}

/** Sphere around a box. */
export const sphereAround = box => ({ center: middleOf(box), radius: Math.max(1e-4, diagonalOf(box) / 2) });
