// Keyboard shortcuts. Letters are ignored while a field has the focus.

import { goTo, orbit, reset, walk } from './camera.js';
import { isBeingTyped } from './controls.js';
import { duplicate } from './duplicate.js';
import * as edits from './edits.js';
import { send } from './connection.js';
import { startOrbit } from './orbit-center.js';
import { focusSelection } from './picking.js';
import { cancelDrag } from './pointer.js';
import * as gizmoBar from './gizmo-bar.js';
import { select, selectVisible, selectedNodes } from './selection.js';
import { nodeOf, set, state } from './state.js';

/** Directions along the axes of the view. */
const MOVE = { KeyW: [0, 0, -1], KeyS: [0, 0, 1], KeyA: [-1, 0, 0], KeyD: [1, 0, 0], KeyQ: [0, -1, 0], KeyE: [0, 1, 0] };
/** Horizontal and vertical directions of orbiting. */
const ORBIT = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const held = new Set();
let walking = null;
let fast = false;
let nextCamera = 0;

export function start(actions) {
  addEventListener('keydown', event => {
    const typing = event.target.closest?.('input, select, textarea, dialog');
    if ((event.ctrlKey || event.metaKey) && event.code === 'KeyZ' && !undoesText(event.target)) {
      event.preventDefault();
      send({ type: event.shiftKey ? 'redo' : 'undo' });
      return;
    }
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.target.closest?.('dialog')) {
      const action = { KeyF: actions.find, KeyO: actions.open }[event.code];
      if (action) return event.preventDefault(), action();
    }
    if (event.code === 'F6') return event.preventDefault(), actions.region(event.shiftKey);
    if ((event.ctrlKey || event.metaKey) && event.code === 'KeyA' && !typing) {
      event.preventDefault();
      return selectVisible();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    fast = event.shiftKey;
    if (handleKey(event, actions)) event.preventDefault();
  });
  addEventListener('keyup', event => {
    held.delete(event.code);
    fast = event.shiftKey;
  });
  addEventListener('blur', () => held.clear());
}

/** Whether Ctrl Z undoes what is typed in an element. A field of a panel whose value is committed has nothing to undo. */
function undoesText(target) {
  const field = target.closest?.('input:not([type="range"], [type="checkbox"], [type="color"]), textarea, dialog');
  return Boolean(field) && !(field.matches('#panels input') && !isBeingTyped(field));
}

/** Handles a key; returns whether it is a shortcut. */
function handleKey(event, actions) {
  const selected = selectedNodes();
  const onImage = event.target === document.body || event.target.closest?.('#stage');
  if (event.key === '?') return actions.help(), true;
  if (event.key === '/') return actions.find(), true;
  if (event.code === 'KeyD' && event.shiftKey && selected.length) return event.repeat || duplicate(selected), true;
  if (event.code in MOVE) return hold(event.code), true;
  if (event.code in ORBIT && onImage) {
    const [x, y] = ORBIT[event.code];
    if (!event.repeat) startOrbit();
    return orbit(-0.08 * x, 0.08 * y), true;
  }
  switch (event.code) {
    case 'KeyF': return focusSelection(), true;
    case 'KeyR': return reset(), true;
    case 'KeyC': return cycleCamera(), true;
    case 'KeyP': return actions.performance(), true;
    case 'KeyV': return actions.split(), true;
    case 'KeyT': return actions.objects(), true;
    case 'KeyN': return actions.panels(), true;
    case 'Space': return onImage && !event.target.closest('button') && actions.play();
    case 'Digit1': return set('gizmo', 'move'), true;
    case 'Digit2': return set('gizmo', 'rotate'), true;
    case 'Digit3': return set('gizmo', 'scale'), true;
    case 'Escape': return cancelDrag() || select(null), true;
    case 'KeyL': return gizmoBar.toggleLocal(), true;
    case 'KeyX': return gizmoBar.toggleSnap(), true;
    case 'KeyG': if (selected.length) return edits.drop(selected), true; break;
    case 'KeyU': return gizmoBar.selectParent(), true;
    case 'KeyH': if (selected.length) return edits.visible(selected, !selected.some(id => nodeOf(id).visible)), true; break;
    case 'Delete': if (selected.length) return edits.remove(selected), true; break;
  }
  return false;
}

/** Moves the camera as long as a key is down. */
function hold(code) {
  held.add(code);
  if (walking !== null) return;
  let last = performance.now();
  const step = now => {
    if (held.size === 0) return (walking = null);
    const direction = [0, 0, 0];
    for (const code of held) MOVE[code]?.forEach((value, i) => (direction[i] += value));
    walk(direction, Math.min(0.1, (now - last) / 1000), fast);
    last = now;
    walking = requestAnimationFrame(step);
  };
  walking = requestAnimationFrame(step);
}

function cycleCamera() {
  const cameras = state.scene?.cameras ?? [];
  if (cameras.length === 0) return;
  nextCamera = (nextCamera + 1) % cameras.length;
  goTo(cameras[nextCamera].pose);
}
