// Unsaved edits: a marker at the title, and questions before they would be left behind.

import { element } from './controls.js';
import { ask } from './question.js';
import { save } from './saving.js';
import { isEditor, on, state } from './state.js';

export function start() {
  const marker = element('span', { id: 'unsaved', textContent: '•', title: 'There are unsaved edits; Ctrl S saves them', hidden: true });
  marker.setAttribute('role', 'img');
  marker.setAttribute('aria-label', 'Unsaved edits');
  document.getElementById('title').before(marker);
  on('scene', ({ unsaved }) => {
    marker.hidden = !unsaved;
    document.title = `${unsaved ? '• ' : ''}${document.title.replace(/^• /, '')}`;
  });
  addEventListener('beforeunload', event => {
    if (hasUnsaved()) event.preventDefault();
  });
}

const hasUnsaved = () => Boolean(state.scene?.unsaved) && isEditor();

/** Asks before another scene replaces unsaved edits; returns whether it may be opened. */
export async function mayOpen() {
  if (!hasUnsaved()) return true;
  const name = document.getElementById('title').textContent;
  const answer = await ask('Unsaved edits', `${name} has edits that are not saved. If you open another scene without saving, undo brings them back.`, [
    ['save', 'Save'],
    ['open', 'Open without saving'],
    ['cancel', 'Cancel'],
  ]);
  return answer === 'save' ? save() : answer === 'open';
}
