// Bar that offers the unsaved edits of a server that has ended.

import { button, element } from './controls.js';
import { send } from './connection.js';
import { ask } from './question.js';
import { isEditor, on } from './state.js';
import { mayOpen } from './unsaved.js';

/** Unsaved scenes: number, name, and time in seconds since 1970. */
let rows = [];
const bar = element('section', { id: 'recovery', hidden: true });

export function start() {
  bar.setAttribute('aria-label', 'Unsaved edits of an earlier start');
  bar.setAttribute('role', 'alert');
  document.querySelector('main').before(bar);
  on('view', update);
}

/** Sets the scenes that can be recovered. */
export function recoverable(unsaved) {
  rows = unsaved;
  bar.replaceChildren(...rows.map(row));
  update();
}

function update() {
  bar.hidden = rows.length === 0 || !isEditor();
}

function row({ number, name, secs }) {
  const file = name.split(/[\\/]/).pop();
  const text = `Unsaved changes of ${file} from ${time(new Date(1000 * secs))}`;
  const recover = button('Recover', async () => (await mayOpen()) && send({ type: 'recover', number, discard: false }));
  recover.className = 'primary';
  const discard = button('Discard', async () => {
    const answer = await ask('Discard changes', `${text} would be deleted for good.`, [['discard', 'Discard'], ['keep', 'Keep']]);
    if (answer === 'discard') send({ type: 'recover', number, discard: true });
  });
  return element('div', {}, element('span', { textContent: text }), recover, discard);
}

/** Formats the time of day, with the date unless it is today. */
function time(date) {
  const clock = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return date.toDateString() === new Date().toDateString() ? clock : `${date.toLocaleDateString()}, ${clock}`;
}
