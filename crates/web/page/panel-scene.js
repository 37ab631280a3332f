// Panel of the scene: counts, list of objects and lights, notes of the import.

import { element, fact, fill, hint } from './controls.js';
import { select } from './selection.js';
import { meshOf, state } from './state.js';

/** Largest number of listed objects. */
const MAX_LISTED = 400;
/** Search text. */
let query = '';

export function update(panel) {
  const { scene } = state;
  if (!scene) return;
  const search = element('input', { type: 'search', placeholder: 'Find by name', value: query });
  search.setAttribute('aria-label', 'Find objects by name');
  const list = element('div', { className: 'list', role: 'list' });
  search.addEventListener('input', () => {
    query = search.value;
    fillList(list);
  });
  fillList(list);
  fill(
    panel,
    fact('Triangles', scene.triangles.toLocaleString('en')),
    fact('Instances', scene.instances.toLocaleString('en')),
    fact('Materials', scene.materials.length.toLocaleString('en')),
    search,
    list,
    scene.notes.length ? element('ul', { className: 'notes' }, ...scene.notes.slice(0, 20).map(note => element('li', { textContent: note }))) : null,
  );
}

function fillList(list) {
  const { scene, selection } = state;
  const found = scene.nodes.filter(({ node }) => (node.instance || node.light !== null) && node.name.toLowerCase().includes(query.toLowerCase()));
  const rows = found.slice(0, MAX_LISTED).map(({ id, node }) => {
    const icon = node.light !== null ? '☀ ' : '';
    const row = element('button', { type: 'button', className: node.visible ? '' : 'off', textContent: icon + (node.name || `node ${id}`) });
    row.setAttribute('aria-current', String(selection?.node === id));
    row.title = node.instance ? `${meshOf(node.instance.mesh)?.triangles ?? '?'} triangles` : 'light';
    row.onclick = () => select({ node: id, material: null });
    return row;
  });
  const more = found.length - rows.length + scene.more_nodes;
  list.replaceChildren(...rows, ...(more > 0 ? [hint(`… and ${more.toLocaleString('en')} more`)] : []));
}
