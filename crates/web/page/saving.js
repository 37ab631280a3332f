// Saving the edited scene on the machine of the server, by Ctrl S, and the menu for everything that is saved.

import { atWork } from './at-work.js';
import { start as startCommandLine } from './command-line.js';
import { element, toast } from './controls.js';
import { changesSent, onMessage, send } from './connection.js';
import { start as startDownloads } from './downloads.js';
import { connectMenu } from './menu.js';
import { isEditor, on, onDocument, state } from './state.js';

/**
 * Requests that are not answered yet, the oldest first: `number`, `changes` before each, the `promise` of whether the
 * scene has been saved, and `answer`, which settles it.
 */
let waiting = [];
/** Number of requests so far. */
let requests = 0;
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
  onMessage('saved', ({ number, path }) => {
    dismissFailure?.();
    toast(`Saved as ${path}`);
    // An earlier request whose answer was lost is fulfilled by this one
    settle(request => request.number <= number, true);
  });
  onMessage('not-saved', ({ number, message }) => {
    dismissFailure?.();
    const link = element('a', { href: '/scene.glb', download: '', textContent: 'Download it instead' });
    dismissFailure = toast(`${message[0].toUpperCase()}${message.slice(1)}.`, 'problem', link);
    settle(request => request.number === number, false);
  });
  // No answer comes to requests of an earlier connection
  on('connected', () => settle(() => true, false));
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

/** Answers requests that satisfy a condition. */
function settle(condition, isSaved) {
  const answered = waiting.filter(condition);
  waiting = waiting.filter(request => !condition(request));
  answered.forEach(({ answer }) => answer(isSaved));
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
  const [last, changes] = [waiting.at(-1), `${changesSent()} ${state.scene?.revision}`];
  if (last?.changes === changes) return last.promise;
  requests += 1;
  send({ type: 'save', number: requests });
  const request = { number: requests, changes };
  request.promise = new Promise(settle => (request.answer = settle));
  waiting.push(request);
  atWork('Saving …', request.promise);
  return request.promise;
}
