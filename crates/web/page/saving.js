// Saving the edited scene on the machine of the server: Ctrl S and the menu.

import { element, toast } from './controls.js';
import { onMessage, send } from './connection.js';
import { isEditor, on } from './state.js';

/** Calls with whether the scene has been saved, of all who wait for it. */
let waiting = [];
let dismissFailure = null;

export function start() {
  addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.code !== 'KeyS') return;
    event.preventDefault();
    if (!event.repeat) save();
  });
  const item = element('button', { id: 'save-scene', textContent: 'Save the scene (Ctrl S)', onclick: save });
  item.title = 'Write the scene with all edits beside the opened file; a scene without a file is saved where the server was started';
  item.setAttribute('role', 'menuitem');
  document.getElementById('save-menu').prepend(item);
  onMessage('saved', ({ path }) => {
    dismissFailure?.();
    toast(`Saved as ${path}`);
    finish(true);
  });
  onMessage('not-saved', ({ message }) => {
    dismissFailure?.();
    const link = element('a', { href: '/scene.glb', download: '', textContent: 'Download it instead' });
    dismissFailure = toast(`${message[0].toUpperCase()}${message.slice(1)}.`, 'problem', link);
    finish(false);
  });
  on('connected', connected => connected || finish(false));
}

function finish(saved) {
  const calls = waiting;
  waiting = [];
  calls.forEach(call => call(saved));
}

/** Saves the scene; returns whether that has succeeded. */
export function save() {
  if (!isEditor()) {
    toast('Another browser is editing: take over before you save.', 'error');
    return Promise.resolve(false);
  }
  send({ type: 'save' });
  return new Promise(done => waiting.push(done));
}
