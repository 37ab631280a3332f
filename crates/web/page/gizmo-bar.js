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
      choice.setAttribute('aria-checked', String(choice.dataset.mode === mode()));
    }
  };
  for (const key of ['selection', 'scene', 'gizmo', 'local', 'snap', 'view']) on(key, update);
  update();
}

export const toggleSnap = () => set('snap', !state.snap);
export const toggleLocal = () => set('local', !state.local);

/** The parent of the object that is shown in the panels, or null. */
const parent = () => nodeOf(state.selection?.node)?.parent ?? null;

export function selectParent() {
  if (parent() !== null) select({ node: parent(), material: null });
}
