// Uploads, the menu of downloads, and the command line.

import { add, isOnAddSide } from './adding.js';
import { toast } from './controls.js';
import { state } from './state.js';
import { onMessage, send } from './connection.js';
import { connectMenu } from './menu.js';
import { mayOpen } from './unsaved.js';

export function start() {
  const input = document.getElementById('open-files');
  document.getElementById('open').onclick = () => input.click();
  input.onchange = () => {
    open([...input.files].map(file => ({ name: file.name, file })));
    input.value = '';
  };
  const hint = document.getElementById('drop-hint');
  let depth = 0;
  addEventListener('dragenter', event => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    depth += 1;
    hint.hidden = false;
  });
  addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    hint.hidden = depth === 0;
  });
  addEventListener('dragover', event => event.preventDefault());
  addEventListener('drop', async event => {
    event.preventDefault();
    [depth, hint.hidden] = [0, true];
    (isOnAddSide(event) ? add : open)(await dropped(event.dataTransfer));
  });
  connectMenu(document.getElementById('save'), document.getElementById('save-menu'));
  document.getElementById('copy-command').onclick = () => send({ type: 'command-line' });
  onMessage('command-line', ({ line, file }) => showCommand(line, file));
}

/** Returns all dropped files; those in folders with their paths. */
async function dropped(transfer) {
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map(file => ({ name: file.name, file }));
  const found = [];
  const visit = async (entry, path) => {
    if (entry.isFile) {
      found.push({ name: path + entry.name, file: await new Promise((done, failed) => entry.file(done, failed)) });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const batch = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (batch.length === 0) break;
      for (const child of batch) await visit(child, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await visit(entry, '');
  return found;
}

const extension = ({ name }) => name.split('.').pop().toLowerCase();

/** Returns whether the files are an environment map and not a scene. */
export function isEnvironmentMap(files) {
  const { extensions, maps } = state.hello.tables;
  return maps.includes(extension(files[0])) && !files.some(file => extensions.includes(extension(file)));
}

/** Removes the message of the last upload, if that failed. */
let dismissFailure = null;

/** Uploads a scene or an environment map. */
export async function open(files) {
  if (files.length === 0 || !state.hello) return;
  const map = isEnvironmentMap(files);
  if (!map && !(await mayOpen())) return;
  dismissFailure?.();
  const failed = message => (dismissFailure = toast(message, 'problem'));
  const form = new FormData();
  for (const { name, file } of files) form.append('file', file, name);
  const opened = toast(`${map ? 'Opening environment map' : 'Opening'} ${files.length === 1 ? files[0].name : `${files.length} files`} …`);
  try {
    const response = await fetch(`/${map ? 'environment' : 'open'}?client=${state.hello.client}`, { method: 'POST', body: form });
    if (!response.ok) failed((await response.text()) || `The server refused the upload (status ${response.status}).`);
  } catch {
    failed('The upload failed: the files are too large, or the connection was lost.');
  } finally {
    opened();
  }
}

/** Copies the command line and shows it in a dialog; `file` was written for it. */
async function showCommand(line, file) {
  document.getElementById('command-line').value = line;
  const copied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
  const words = [copied ? 'Copied to the clipboard.' : 'Copy it from here.'];
  if (file) words.push(`It renders the scene with all edits and this view, which was saved as ${file}`);
  document.getElementById('command-note').textContent = words.join(' ');
  document.getElementById('command').showModal();
}
