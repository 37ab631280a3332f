// Uploads, the menu of downloads, and the command line.

import { add, isOnAddSide } from './adding.js';
import { toast } from './controls.js';
import { state } from './state.js';
import { onMessage, send } from './connection.js';

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
  setUpMenu();
  onMessage('command-line', ({ line }) => showCommand(line));
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

/** Uploads a scene or an environment map. */
export async function open(files) {
  if (files.length === 0 || !state.hello) return;
  const map = isEnvironmentMap(files);
  const form = new FormData();
  for (const { name, file } of files) form.append('file', file, name);
  toast(`${map ? 'Opening environment map' : 'Opening'} ${files.length === 1 ? files[0].name : `${files.length} files`} …`);
  try {
    const response = await fetch(`/${map ? 'environment' : 'open'}?client=${state.hello.client}`, { method: 'POST', body: form });
    if (!response.ok) toast((await response.text()) || `The server refused the upload (status ${response.status}).`, 'error');
  } catch {
    toast('The upload failed: the files are too large, or the connection was lost.', 'error');
  }
}

/** Sets up the menu of downloads. */
function setUpMenu() {
  const [button, menu] = ['save', 'save-menu'].map(id => document.getElementById(id));
  const show = shown => {
    menu.hidden = !shown;
    button.setAttribute('aria-expanded', String(shown));
    menu.style.left = `${button.getBoundingClientRect().left}px`;
    if (shown) menu.firstElementChild.focus();
  };
  button.onclick = () => show(menu.hidden);
  document.addEventListener('click', event => {
    if (!menu.hidden && event.target !== button) show(false);
  });
  menu.addEventListener('keydown', event => {
    const items = [...menu.children];
    const at = items.indexOf(document.activeElement);
    if (event.key === 'Escape') show(false), button.focus();
    if (event.key === 'ArrowDown') items[(at + 1) % items.length].focus();
    if (event.key === 'ArrowUp') items[(at + items.length - 1) % items.length].focus();
  });
  document.getElementById('copy-command').onclick = () => send({ type: 'command-line' });
}

/** Copies the command line and shows it in a dialog. */
async function showCommand(line) {
  const edited = (state.scene?.steps[0] ?? 0) > 0;
  document.getElementById('command-line').value = line;
  const copied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
  const words = [copied ? 'Copied to the clipboard.' : 'Copy it from here.'];
  if (edited) words.push('It renders the original scene, without your edits.');
  document.getElementById('command-note').textContent = words.join(' ');
  document.getElementById('command').showModal();
}
