// Rows of the tree of objects as elements of the document, and the field in which one is renamed.

import * as edits from './edits.js';
import * as model from './tree-model.js';
import { element } from './controls.js';
import { icon } from './icons.js';
import { isSelected } from './selection.js';
import { isEditor, nodeOf, onDocument } from './state.js';

/** Node that is being renamed. */
let renaming = null;
/** Ends renaming without another name. */
let cancel = () => {};
// Another scene may have another node with the same id
onDocument(() => cancel());

/** Whether the user is typing a name, which drawing the rows again would end. */
export const isRenaming = () => renaming !== null && nodeOf(renaming) !== null;

/** What elements show, so that unchanged ones stay in the document. */
const drawn = new WeakMap();

/**
 * Returns the element of a row, with what changes often.
 *
 * * `top` — its position in pixels.
 * * `isActive` — whether it has the cursor of the keyboard.
 */
export function placeRow(row, top, isActive) {
  const shows = JSON.stringify({ ...row, node: [row.node.name, model.nodeKind(row.node), row.node.visible, isEditor()] });
  const before = document.getElementById(`tree-${row.id}`);
  const placed = before && drawn.get(before) === shows ? before : drawRow(row);
  drawn.set(placed, shows);
  placed.style.top = `${top}px`;
  placed.setAttribute('aria-selected', String(isSelected(row.id)));
  placed.classList.toggle('active', isActive);
  return placed;
}

function drawRow({ id, node, level, count, position, open, hidden, isMatch }) {
  const name = model.nameOf(id, node);
  const kind = model.nodeKind(node);
  const branch = element('span', { className: 'branch' });
  if (open !== null) branch.append(icon(open ? 'branch-open' : 'branch-closed'));
  const eye = element('button', { type: 'button', tabIndex: -1, className: 'eye', disabled: !isEditor(), title: `${node.visible ? 'Hide' : 'Show'} (Space, H)` }, icon(node.visible ? 'eye' : 'eye-off'));
  eye.setAttribute('aria-label', `${node.visible ? 'Hide' : 'Show'} ${name}`);
  const label = element('span', { className: 'name', textContent: name, title: name });
  const row = element('div', { id: `tree-${id}`, role: 'treeitem', className: 'tree-row', dataset: { node: id } }, branch, icon(kind), label, eye);
  row.style.setProperty('--level', String(level - 1));
  const facts = { level, setsize: count, posinset: position, label: `${name}, ${kind}${node.visible ? '' : ', hidden'}` };
  for (const [key, value] of Object.entries(facts)) row.setAttribute(`aria-${key}`, String(value));
  if (open !== null) row.setAttribute('aria-expanded', String(open));
  row.classList.toggle('off', hidden || !isMatch);
  row.classList.toggle('shown', node.visible);
  return row;
}

/** Lets the user type another name of a node; `finished` is called when that has ended, with whether by a key. */
export function rename(id, finished) {
  if (!isEditor()) return;
  const row = document.getElementById(`tree-${id}`);
  if (!row) return;
  const field = element('input', { type: 'text', className: 'rename', value: nodeOf(id).name });
  field.setAttribute('aria-label', `Name of ${model.nameOf(id, nodeOf(id))}`);
  const finish = (keep, byKey) => {
    if (renaming === null) return;
    renaming = null;
    drawn.delete(row);
    if (keep && nodeOf(id) && field.value !== nodeOf(id).name) edits.rename(id, field.value);
    finished(byKey);
  };
  field.addEventListener('blur', () => finish(true, false));
  field.addEventListener('keydown', event => {
    const withCtrl = event.ctrlKey || event.metaKey;
    // Shortcuts of the page with Ctrl have their effect here, too; what is saved has the name
    if (!withCtrl) event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape' || (withCtrl && event.code === 'KeyS')) finish(event.key !== 'Escape', true);
  });
  [renaming, cancel] = [id, () => finish(false, false)];
  row.querySelector('.name').replaceWith(field);
  field.focus();
  field.select();
}
