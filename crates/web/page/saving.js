// Saving the edited scene on the machine of the server, by Ctrl S, and the menu for everything that is saved.

import { atWork } from './at-work.js';
import { start as startCommandLine } from './command-line.js';
import { element, toast } from './controls.js';
import { ask, changesSent } from './connection.js';
import { start as startDownloads } from './downloads.js';
import { connectMenu } from './menu.js';
import { isEditor, on, onDocument, state } from './state.js';

/** Newest request that is not answered yet: the `changes` before it, and the promise of whether the scene is `saved`. */
let newest = null;
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
  const menu = document.getElementById('save-menu');
  menu.prepend(item);
  connectMenu(document.getElementById('save'), menu);
  startDownloads();
  startCommandLine();
  forgetFailures();
}

/** Removes the message of a failure when nothing is unsaved any more, and when another scene is opened. */
function forgetFailures() {
  let wasUnsaved = false;
  on('scene', ({ unsaved }) => {
    if (wasUnsaved && !unsaved) dismissFailure?.();
    wasUnsaved = unsaved;
  });
  onDocument(() => dismissFailure?.());
}

/** Tells the answer to a request, if there is one; returns whether the scene has been saved. */
function told(answer) {
  if (answer === null) return false;
  const { type, path, message } = answer;
  dismissFailure?.();
  if (type === 'saved') {
    toast(`Saved as ${path}`);
    return true;
  }
  const link = element('a', { href: '/scene.glb', download: '', textContent: 'Download it instead' });
  dismissFailure = toast(`${message[0].toUpperCase()}${message.slice(1)}.`, 'problem', link);
  return false;
}

/** Saves the scene; returns whether that has succeeded. */
export function save() {
  if (!state.connected) {
    toast('The scene cannot be saved while the server does not answer.', 'error');
    return Promise.resolve(false);
  }
  if (!isEditor()) {
    toast('Another browser is editing: take over before you save.', 'error');
    return Promise.resolve(false);
  }
  // A second request for the same scene would only be another wait
  const changes = `${changesSent()} ${state.scene?.revision}`;
  if (newest?.changes === changes) return newest.saved;
  // If its answer is lost, a later one fulfils it
  const saved = ask({ type: 'save' }, later => later).then(told);
  const request = { changes, saved };
  newest = request;
  saved.then(() => {
    if (newest === request) newest = null;
  });
  atWork('Saving …', saved);
  return saved;
}
