// Files that are chosen or dropped, the menu of downloads, and the command line.

import { add, isOnAddSide } from './adding.js';
import { onMessage, send } from './connection.js';
import { connectMenu } from './menu.js';
import { open } from './opening.js';
import { takeChosen } from './upload.js';

export function start() {
  const input = document.getElementById('open-files');
  document.getElementById('open').onclick = () => input.click();
  input.onchange = () => open(takeChosen(input));
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
    const files = await dropped(event.dataTransfer);
    if (isOnAddSide(event)) add(files, event);
    else open(files);
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

/** Copies the command line and shows it in a dialog; `file` was written for it. */
async function showCommand(line, file) {
  document.getElementById('command-line').value = line;
  const copied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
  const words = [copied ? 'Copied to the clipboard.' : 'Copy it from here.'];
  if (file) words.push(`It renders the scene with all edits and this view, which was saved as ${file}`);
  document.getElementById('command-note').textContent = words.join(' ');
  document.getElementById('command').showModal();
}
