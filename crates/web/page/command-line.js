// The command line of the current image.

import { atWork } from './at-work.js';
import { onMessage, send } from './connection.js';
import { toast } from './controls.js';
import { on, state } from './state.js';

/** Settles the request that is not answered yet; null if there is none. */
let answer = null;

export function start() {
  document.getElementById('copy-command').onclick = ask;
  onMessage('command-line', ({ line, file }) => {
    answered();
    show(line, file);
  });
  onMessage('no-command-line', ({ message }) => {
    answered();
    toast(message, 'error');
  });
  on('connected', answered);
}

/** Asks for the command line. The scene may have to be written for it, which takes long. */
function ask() {
  if (answer !== null || !state.connected) return;
  const promise = new Promise(settle => (answer = settle));
  send({ type: 'command-line' });
  atWork('Writing the command line, and the scene if it has edits …', promise);
}

/** Ends the wait for an answer. */
function answered() {
  answer?.();
  answer = null;
}

/** Copies the command line and shows it in a dialog; `file` was written for it. */
async function show(line, file) {
  document.getElementById('command-line').value = line;
  const copied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
  const words = [copied ? 'Copied to the clipboard.' : 'Copy it from here.'];
  if (file) words.push(`It renders the scene with all edits and this view, which was saved as ${file}`);
  document.getElementById('command-note').textContent = words.join(' ');
  document.getElementById('command').showModal();
}
