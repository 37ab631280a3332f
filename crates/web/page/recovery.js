// Bar that offers the unsaved edits of a server that has ended. It is over the image, so that nothing else moves.

import { button, element } from './controls.js';
import { send } from './connection.js';
import { ask } from './question.js';
import { fileOf, isEditor, on, state } from './state.js';
import { mayOpen } from './unsaved.js';

/** Unsaved scenes: number, name, and time in seconds since 1970. */
let rows = [];
/** Item of the tab's storage with the keys of the scenes that the user puts off. */
const PUT_OFF = 'edits put off';
const bar = element('section', { id: 'recovery', hidden: true });

export function start() {
  bar.setAttribute('aria-label', 'Unsaved edits of an earlier start');
  bar.setAttribute('role', 'alert');
  document.querySelector('main').after(bar);
  on('view', update);
  on('scene', show);
}

/** Sets the scenes that can be recovered. */
export function recoverable(unsaved) {
  rows = unsaved;
  show();
}

/** Shows the scenes that are not put off, those of the opened file first. */
function show() {
  const later = readPutOff();
  const offered = rows.filter(unsaved => !later.includes(keyOf(unsaved)));
  const isOpened = ({ name }) => fileOf(name) === fileOf(state.scene?.name ?? '');
  const sorted = [...offered.filter(isOpened), ...offered.filter(unsaved => !isOpened(unsaved))];
  const keys = sorted.map(unsaved => `${unsaved.number} ${keyOf(unsaved)}`).join('\n');
  // Buttons under the pointer are not replaced
  if (bar.dataset.keys !== keys) bar.replaceChildren(...sorted.map(row));
  bar.dataset.keys = keys;
  update();
}

function update() {
  bar.hidden = bar.children.length === 0 || !isEditor();
}

const keyOf = ({ name, secs }) => `${name} ${secs}`;

/** Returns the keys of the scenes that are put off. */
const readPutOff = () => JSON.parse(sessionStorage.getItem(PUT_OFF) ?? '[]');

function putOff(unsaved) {
  sessionStorage.setItem(PUT_OFF, JSON.stringify([...readPutOff(), keyOf(unsaved)]));
  show();
}

function row(unsaved) {
  const { number, name, secs } = unsaved;
  const text = `Unsaved changes of ${fileOf(name)} from ${time(new Date(1000 * secs))}`;
  const recover = button('Recover', async () => (await mayOpen()) && send({ type: 'recover', number, discard: false }));
  recover.className = 'primary';
  const discard = button('Discard', async () => {
    const answer = await ask('Discard changes', `${text} would be deleted for good.`, [['keep', 'Keep'], ['discard', 'Discard']], 'keep');
    if (answer === 'discard') send({ type: 'recover', number, discard: true });
  });
  const later = button('Later', () => putOff(unsaved), 'Keep them, and offer them again in another tab or at the next start');
  return element('div', {}, element('span', { textContent: text }), recover, later, discard);
}

/** Formats the time of day, with the date unless it is today. */
function time(date) {
  const clock = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  return date.toDateString() === new Date().toDateString() ? clock : `${date.toLocaleDateString()}, ${clock}`;
}
