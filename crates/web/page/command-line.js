// The command line of the current image.

import { atWork } from './at-work.js';
import { ask } from './connection.js';
import { toast } from './controls.js';

/** Whether a request is not answered yet. */
let isAsking = false;

export function start() {
  document.getElementById('copy-command').onclick = copy;
}

/** Asks for the command line, and copies it. The scene may have to be written for it, which takes long. */
async function copy() {
  if (isAsking) return;
  isAsking = true;
  const asked = ask({ type: 'command-line' });
  atWork('Writing the command line, and the scene if it has edits …', asked);
  const answer = await asked;
  isAsking = false;
  if (answer?.type === 'command-line') show(answer.line, answer.file);
  else if (answer) toast(answer.message, 'error');
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
