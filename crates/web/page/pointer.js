// Mouse, pen and touch on the image.

import { askForFreeSpace, orbit, pan, pose, zoom } from './camera.js';
import { startBox } from './box-select.js';
import { grab, hover } from './gizmo.js';
import { send } from './connection.js';
import { lightAt } from './light-icons.js';
import { imageRect, positionIn } from './overlay.js';
import { select, toggle } from './selection.js';
import { state } from './state.js';

/** Radians per drag over the height of the image. */
const ORBIT_SPEED = 4;
/** Largest movement of a click, in pixels. */
const CLICK_TOLERANCE = 5;

const pointers = new Map();
let travelled = 0;
let pinch = null;
let handle = null;
/** Whether the next reply to a pick is focused, after a double click. */
let focusNext = false;
/** Whether the next reply to a pick is added to the selection or removed from it. */
let toggleNext = false;

export function start(stage) {
  stage.addEventListener('pointerdown', event => down(stage, event));
  stage.addEventListener('pointermove', event => move(stage, event));
  for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, event => up(stage, event));
  stage.addEventListener('wheel', event => wheel(event), { passive: false });
  stage.addEventListener('contextmenu', event => event.preventDefault());
  stage.addEventListener('dblclick', () => (focusNext = true));
}

/** Returns whether the picked object is to be focused, and resets the request. */
export function takeFocusRequest() {
  const requested = focusNext;
  focusNext = false;
  return requested;
}

/** Returns whether the picked object is added to the selection or removed from it, and resets the request. */
export function takeToggleRequest() {
  const requested = toggleNext;
  toggleNext = false;
  return requested;
}

function down(stage, event) {
  if (event.target.closest('button, #divider, #timeline, #gizmo-bar')) return;
  stage.focus({ preventScroll: true });
  stage.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  if (pointers.size === 1) {
    travelled = 0;
    askForFreeSpace();
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
  // What is left of the drag does nothing
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
  if (handle) handle.drop();
  else if (travelled >= 0 && travelled < CLICK_TOLERANCE && event.button === 0 && event.type === 'pointerup') pick(positionIn(event), event.ctrlKey || event.metaKey || event.shiftKey);
  handle = null;
}

/** Selects what is at a position, or, if it `adds`, adds it to the selection or removes it from there. */
function pick({ x, y }, adds) {
  if (x < 0 || y < 0 || x > 1 || y > 1) return;
  const light = lightAt({ x, y });
  if (light !== null) return adds ? toggle(light) : select({ node: light, material: null });
  toggleNext = adds;
  send({ type: 'pick', x, y, pose: state.frame?.pose ?? pose() });
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

