// Mouse, pen and touch on the image.

import { orbit, pan, zoom } from './camera.js';
import { startBox } from './box-select.js';
import { grab, hover } from './gizmo.js';
import { startOrbit } from './orbit-center.js';
import { imageRect, positionIn } from './overlay.js';
import { focusSelection, pick } from './picking.js';
import { onDocument } from './state.js';

/** Radians per drag over the height of the image. */
const ORBIT_SPEED = 4;
/** Largest movement of a click, in pixels. */
const CLICK_TOLERANCE = 5;
/** What is over the image and has clicks of its own. */
export const CONTROLS = 'button, #divider, #timeline, #gizmo-bar';

const pointers = new Map();
let travelled = 0;
let pinch = null;
let handle = null;
/** Focuses on what the last click selected; null if it was none or does not select. */
let focusClicked = null;
// Another scene may have other nodes with the same ids
onDocument(() => cancelDrag());

export function start(stage) {
  stage.addEventListener('pointerdown', event => down(stage, event));
  stage.addEventListener('pointermove', event => move(stage, event));
  for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, event => up(stage, event));
  stage.addEventListener('wheel', event => wheel(event), { passive: false });
  stage.addEventListener('contextmenu', event => event.preventDefault());
  stage.addEventListener('dblclick', () => focusClicked?.());
}

function down(stage, event) {
  focusClicked = null;
  if (event.target.closest(CONTROLS)) return;
  stage.focus({ preventScroll: true });
  stage.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (pointers.size === 1) {
    travelled = 0;
    startOrbit(positionIn(event));
    handle = event.button === 0 ? startDrag(stage, event) : null;
    stage.classList.toggle('dragging', !handle);
  } else {
    cancelDrag();
    pinch = pinchState();
  }
}

/** Starts a drag of the handle at the pointer, or of a rectangle with Ctrl or Alt; null if there is neither. */
function startDrag(stage, event) {
  const position = positionIn(event);
  const adds = event.ctrlKey || event.metaKey;
  const grabbed = event.altKey ? null : grab(position);
  return grabbed ?? (adds || event.altKey ? startBox(stage, position, adds) : null);
}

/** Cancels a drag of a handle or a rectangle; returns whether there was one. */
export function cancelDrag() {
  if (!handle) return false;
  handle.cancel();
  handle = null;
  // The pointer moves nothing more until it is released
  travelled = -Infinity;
  return true;
}

function move(stage, event) {
  const last = pointers.get(event.pointerId);
  if (!last) {
    stage.classList.toggle('handle', hover(positionIn(event)));
    return;
  }
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  travelled += Math.hypot(dx, dy);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (pointers.size >= 2) return twoFingers();
  if (travelled < CLICK_TOLERANCE) return;
  if (handle) return handle.move(positionIn(event), event.ctrlKey || event.metaKey);
  const height = imageRect().height;
  const panning = event.shiftKey || (event.buttons & 6) !== 0;
  if (panning) pan(dx / height, dy / height);
  else orbit((ORBIT_SPEED * dx) / height, (ORBIT_SPEED * dy) / height);
}

function up(stage, event) {
  const known = pointers.delete(event.pointerId);
  pinch = null;
  stage.classList.remove('dragging');
  if (!known || pointers.size > 0) return;
  // A click with Ctrl is no rectangle
  if (handle && (event.type === 'pointercancel' || (handle.isRectangle && travelled < CLICK_TOLERANCE))) {
    handle.cancel();
    handle = null;
  }
  const isClick = travelled >= 0 && travelled < CLICK_TOLERANCE && event.button === 0 && event.type === 'pointerup';
  if (handle) {
    handle.drop();
    // The handle is one of what the click before has selected
    if (isClick) focusClicked = focusSelection;
  } else if (isClick) {
    focusClicked = pick(positionIn(event), event.ctrlKey || event.metaKey || event.shiftKey);
  }
  handle = null;
}

/** Centre and spread of two touch points. */
function pinchState() {
  const [a, b] = [...pointers.values()];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
}

function twoFingers() {
  const now = pinchState();
  if (pinch) {
    const height = imageRect().height;
    pan((now.x - pinch.x) / height, (now.y - pinch.y) / height);
    zoom(pinch.spread / now.spread);
  }
  pinch = now;
}

function wheel(event) {
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 30 : 1;
  zoom(Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) * 0.0015));
}
