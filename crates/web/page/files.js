// Files in and out: dropped scenes, saved pictures, the command line.

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
    open(await dropped(event.dataTransfer));
  });
  menu();
  onMessage('command-line', ({ line }) => showCommand(line));
}

/** All files, those in folders with their paths. */
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
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (some.length === 0) break;
      for (const inner of some) await visit(inner, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await visit(entry, '');
  return found;
}

const extension = ({ name }) => name.split('.').pop().toLowerCase();

/** Whether files are no scene, but light from outside. */
function isMap(files) {
  const { extensions, maps } = state.hello.tables;
  return maps.includes(extension(files[0])) && !files.some(file => extensions.includes(extension(file)));
}

export async function open(files) {
  if (files.length === 0 || !state.hello) return;
  const map = isMap(files);
  const form = new FormData();
  for (const { name, file } of files) form.append('file', file, name);
  toast(`${map ? 'Lighting the scene with' : 'Opening'} ${files.length === 1 ? files[0].name : `${files.length} files`} …`);
  try {
    const response = await fetch(`/${map ? 'environment' : 'open'}?client=${state.hello.client}`, { method: 'POST', body: form });
    if (!response.ok) toast((await response.text()) || `The server said ${response.status}.`, 'error');
  } catch {
    toast('The files could not be sent: they are too large, or the server has gone.', 'error');
  }
}

function menu() {
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

async function showCommand(line) {
  const changed = (state.scene?.steps[0] ?? 0) > 0;
  document.getElementById('command-line').value = line;
  const copied = await navigator.clipboard?.writeText(line).then(() => true, () => false);
  const words = [copied ? 'It has been copied.' : 'Copy it from here.'];
  if (changed) words.push('Changes made here are not in it: the file is as it was.');
  document.getElementById('command-note').textContent = words.join(' ');
  document.getElementById('command').showModal();
}
