// Bar over the image: modes and axes of the handles, snapping, dropping on a surface, selecting the parent.

import { drop } from './edits.js';
import { button, element } from './controls.js';
import { mode, modes } from './gizmo.js';
import { select, selectedNodes } from './selection.js';
import { isEditor, nodeOf, on, set, state } from './state.js';

const NAMES = { move: 'Move', rotate: 'Rotate', scale: 'Scale' };

export function start() {
  const choices = document.getElementById('gizmo-modes');
  choices.onclick = event => event.target.dataset.mode && set('gizmo', event.target.dataset.mode);
  choices.addEventListener('keydown', chooseByKey);
  const snap = button('Snap', toggleSnap, 'Snap to steps (X); in a drag, Ctrl snaps, too');
  snap.id = 'snap';
  const local = button('Local', toggleLocal, 'Move and rotate along the axes of the object instead of those of the world (L)');
  local.id = 'local';
  const down = button('Drop', () => drop(selectedNodes()), 'Put the selected objects on the surface below them (G)');
  const up = button('Parent', selectParent, 'Select the parent of the object (U)');
  const tools = element('div', { id: 'gizmo-tools', role: 'group' }, local, snap, down, up);
  tools.setAttribute('aria-label', 'Tools of the handles');
  const bar = element('div', { id: 'gizmo-bar' });
  choices.replaceWith(bar);
  bar.append(choices, tools);
  const update = () => {
    choices.hidden = tools.hidden = selectedNodes().length === 0 || !isEditor();
    up.hidden = parent() === null;
    snap.setAttribute('aria-pressed', String(Boolean(state.snap)));
    local.setAttribute('aria-pressed', String(state.local));
    for (const choice of choices.children) {
      const applies = modes().includes(choice.dataset.mode);
      choice.disabled = !applies;
      choice.title = applies ? `${NAMES[choice.dataset.mode]} (${Object.keys(NAMES).indexOf(choice.dataset.mode) + 1})` : `${NAMES[choice.dataset.mode]}: not for this kind of light`;
      const chosen = choice.dataset.mode === mode();
      choice.setAttribute('aria-checked', String(chosen));
      choice.tabIndex = chosen ? 0 : -1;
    }
  };
  for (const key of ['selection', 'scene', 'gizmo', 'local', 'snap', 'view']) on(key, update);
  update();
}

/** Chooses the next or previous mode that applies. */
function chooseByKey(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  // Do not orbit the camera
  event.preventDefault();
  event.stopPropagation();
  const enabled = [...event.currentTarget.children].filter(choice => !choice.disabled);
  const next = enabled[(enabled.indexOf(event.target) + step + enabled.length) % enabled.length];
  set('gizmo', next.dataset.mode);
  next.focus();
}

export const toggleSnap = () => set('snap', !state.snap);
export const toggleLocal = () => set('local', !state.local);

/** The parent of the object that is shown in the panels, or null. */
const parent = () => nodeOf(state.selection?.node)?.parent ?? null;

export function selectParent() {
  if (parent() !== null) select({ node: parent(), material: null });
}
