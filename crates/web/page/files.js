// Files that are chosen or dropped.

import { add, isOnAddSide } from './adding.js';
import { element } from './controls.js';
import { dropImage } from './image-drop.js';
import { mapTypes, open } from './opening.js';
import { on, state } from './state.js';
import { takeChosen } from './upload.js';

export function start() {
  const input = document.getElementById('open-files');
  document.getElementById('open').onclick = () => input.click();
  input.onchange = () => open(takeChosen(input));
  on('hello', () => (document.getElementById('map-types').textContent = `, if it is one of ${mapTypes()}`));
  startDrop();
}

/** Takes dropped files; while they are over the page, the hint shows what becomes of them. */
function startDrop() {
  const hint = document.getElementById('drop-hint');
  const sides = [
    element('div', {}, element('strong', { textContent: 'Open' }), 'Drop a scene here to open it instead of this one'),
    element('div', {}, element('strong', { textContent: 'Add' }), 'Drop a scene on its place in the image to add it to this one'),
  ];
  const images = element('p');
  hint.append(...sides, images);
  let depth = 0;
  addEventListener('dragenter', event => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    depth += 1;
    hint.hidden = false;
    const types = state.hello ? ` of the types ${mapTypes()}` : '';
    images.textContent = `An image on an object becomes its texture. Beside all objects, one${types} lights the scene; .hdr and .exr do everywhere.`;
    // The user aims at an object in the picture, which stays visible
    hint.classList.toggle('image', [...event.dataTransfer.items].every(({ type }) => type.startsWith('image/')));
  });
  addEventListener('dragleave', () => {
    depth = Math.max(0, depth - 1);
    hint.hidden = depth === 0;
  });
  addEventListener('dragover', event => {
    event.preventDefault();
    sides.forEach((side, i) => side.classList.toggle('chosen', (i === 1) === isOnAddSide(event)));
  });
  addEventListener('drop', async event => {
    event.preventDefault();
    [depth, hint.hidden] = [0, true];
    const files = await dropped(event.dataTransfer);
    if (await dropImage(files, event)) return;
    if (isOnAddSide(event)) add(files, event);
    else open(files);
  });
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
