// Tree of objects at the left. Only the rows in view are in the document, so that thousands of nodes are fast.

import * as edits from './edits.js';
import * as model from './tree-model.js';
import { element } from './controls.js';
import { goTo } from './camera.js';
import { isSelected, select, selectAll, selectedNodes, toggle } from './selection.js';
import { show as showSide } from './sides.js';
import { isRenaming, placeRow, rename } from './tree-row.js';
import { column } from './math.js';
import { isEditor, nodeOf, on, onDocument, state } from './state.js';

/** Rows above and below the view that are in the document, too. */
const MARGIN = 6;

const byId = id => document.getElementById(id);
let tree, spacer, search;
let rows = [];
/** Node with the cursor of the keyboard, and the one from which ranges start. */
let active = null;
let anchor = null;
/** What to do before the next paint: read the rows again, scroll to the cursor. */
let [scheduled, isStale, scrolls] = [false, false, false];

export function start() {
  [tree, search] = [byId('tree'), byId('search')];
  spacer = element('div', { className: 'spacer', role: 'presentation' });
  tree.append(spacer);
  tree.addEventListener('scroll', () => update({}));
  tree.addEventListener('keydown', onKey);
  tree.addEventListener('focus', () => {
    if (active === null && rows.length > 0) active = rows[0].id;
    update({});
  });
  tree.addEventListener('blur', () => update({}));
  spacer.addEventListener('click', onClick);
  spacer.addEventListener('dblclick', event => {
    const id = rowOf(event);
    if (id !== null && !event.target.closest('button, .branch')) rename(id, renamed);
  });
  search.addEventListener('input', () => {
    tree.scrollTop = 0;
    // Without a search, the selected object is shown again
    update({ stale: true, scroll: search.value === '' });
  });
  search.addEventListener('keydown', onSearchKey);
  new ResizeObserver(() => update({})).observe(tree);
  on('scene', () => update({ stale: true }));
  // Another scene is shown from its beginning, without the search of the one before
  onDocument(() => {
    [active, anchor, search.value, tree.scrollTop] = [null, null, '', 0];
  });
  let editor = false;
  on('view', () => {
    if (editor !== isEditor()) update({});
    editor = isEditor();
  });
  on('selection', onSelection);
  on('side', side => side === 'objects' && update({ scroll: true }));
}

/** Moves the focus to the search. */
export function find() {
  showSide('objects', true);
  search.focus();
  search.select();
}

/** Shows the selected node: its parents are opened, and its row is scrolled into view. */
function onSelection(selection) {
  if (selection === null) return update({});
  if (active !== selection.node || !isSelected(anchor)) anchor = selection.node;
  active = selection.node;
  // A search does not hide what was selected elsewhere
  if (search.value !== '' && !rows.some(({ id }) => id === active)) {
    search.value = '';
    isStale = true;
  }
  update({ stale: model.reveal(active), scroll: true });
}

function update({ stale = false, scroll = false }) {
  isStale ||= stale;
  scrolls ||= scroll;
  if (scheduled) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    if (state.scene) draw();
  });
}

const rowHeight = () => parseFloat(getComputedStyle(tree).getPropertyValue('--row'));

/** Reads the rows again, if what they show has changed. */
function readRows() {
  if (isStale) rows = model.computeRows(search.value);
  isStale = false;
}

function draw() {
  readRows();
  // A name that is being typed is kept
  if (isRenaming()) return;
  const height = rowHeight();
  spacer.style.height = `${rows.length * height}px`;
  const cursor = rows.findIndex(({ id }) => id === active);
  // A new node may be selected before the scene has it
  if (scrolls && cursor >= 0) scrolls = scrollTo(cursor, height);
  const first = Math.max(0, Math.floor(tree.scrollTop / height) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((tree.scrollTop + tree.clientHeight) / height) + MARGIN);
  const inView = rows.slice(first, last).map((row, i) => placeRow(row, (first + i) * height, row.id === active));
  if (inView.length !== spacer.children.length || inView.some((row, i) => row !== spacer.children[i])) spacer.replaceChildren(...inView);
  if (cursor >= first && cursor < last) tree.setAttribute('aria-activedescendant', `tree-${active}`);
  else tree.removeAttribute('aria-activedescendant');
  note();
}

/** Scrolls a row into view; returns that nothing more is to be scrolled. */
function scrollTo(index, height) {
  // A row more, which shows that the tree goes on
  const [top, bottom] = [(index - 1) * height, (index + 2) * height];
  if (top < tree.scrollTop) tree.scrollTop = top;
  else if (bottom > tree.scrollTop + tree.clientHeight) tree.scrollTop = bottom - tree.clientHeight;
  return false;
}

/** Explains an empty tree, or one that is not complete. */
function note() {
  const { more_nodes: more } = state.scene;
  const listed = more > 0 ? `The first ${state.scene.nodes.length.toLocaleString('en')} objects are listed; ${more.toLocaleString('en')} more are not.` : '';
  const empty = rows.length > 0 ? '' : search.value ? 'No object has this name.' : 'The scene has no objects.';
  const text = [empty, listed].filter(Boolean).join(' ');
  if (byId('tree-note').textContent !== text) byId('tree-note').textContent = text;
}

// Mouse

const rowOf = event => {
  const row = event.target.closest('.tree-row');
  return row ? Number(row.dataset.node) : null;
};

function onClick(event) {
  const id = rowOf(event);
  if (id === null || event.target.closest('input')) return;
  if (event.target.closest('.eye')) return switchVisible(id);
  if (event.target.closest('.branch') && childrenOpen(id) !== null) return openBranch(id, !childrenOpen(id));
  choose(id, event);
}

const childrenOpen = id => rows.find(row => row.id === id)?.open ?? null;

function openBranch(id, open) {
  model.setOpen(id, open);
  update({ stale: true });
}

/** Selects a node; Ctrl adds it to the selection or removes it, Shift selects the range from the last one. */
function choose(id, { ctrlKey, metaKey, shiftKey }) {
  active = id;
  if (shiftKey && anchor !== null) {
    const [from, to] = [anchor, id].map(end => rows.findIndex(row => row.id === end));
    if (from >= 0 && to >= 0) {
      const range = rows.slice(Math.min(from, to), Math.max(from, to) + 1).map(row => row.id);
      // The last one is shown in the panels: the one that was clicked
      return selectAll(from <= to ? range : range.reverse());
    }
  }
  anchor = id;
  if (ctrlKey || metaKey) return toggle(id);
  select({ node: id, material: null });
  const camera = nodeOf(id).camera === null ? null : cameraAt(id);
  if (camera) goTo(camera.pose);
}

/** Returns the camera of the scene that a node has: the one at its position with its direction. */
function cameraAt(id) {
  const world = edits.worldFromNode(id);
  const difference = ({ pose: { world_from_view: m } }) => Math.hypot(...[2, 3].flatMap(i => column(m, i).map((x, axis) => x - column(world, i)[axis])));
  const [nearest] = [...state.scene.cameras].sort((a, b) => difference(a) - difference(b));
  return nearest ?? null;
}

/** Hides or shows a node; all that are selected, if it is one of them. */
function switchVisible(id) {
  if (!isEditor()) return;
  const visible = !nodeOf(id).visible;
  edits.visible(isSelected(id) ? selectedNodes() : [id], visible);
}

// Keyboard

function onKey(event) {
  if (event.target !== tree || event.altKey) return;
  const at = rows.findIndex(({ id }) => id === active);
  const row = rows[at] ?? null;
  const page = Math.max(1, Math.floor(tree.clientHeight / rowHeight()) - 1);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + page, PageUp: at - page }[event.key];
  if (to !== undefined) moveTo(to, event.shiftKey);
  else if (row === null) return;
  else if (event.key === 'Enter') choose(row.id, event);
  else if (event.key === ' ') switchVisible(row.id);
  else if (event.key === 'F2') rename(row.id, renamed);
  else if (event.key === 'ArrowRight') row.open === false ? openBranch(row.id, true) : row.open && moveTo(at + 1);
  else if (event.key === 'ArrowLeft') row.open ? openBranch(row.id, false) : moveToParent(row);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Moves the cursor to a row, and the end of the selected range with it. */
function moveTo(index, extendsRange = false) {
  const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
  if (!row) return;
  if (extendsRange) {
    anchor ??= active;
    choose(row.id, { shiftKey: true });
  }
  active = row.id;
  update({ scroll: true });
}

function moveToParent({ node }) {
  const parent = rows.findIndex(({ id }) => id === node.parent);
  if (parent >= 0) moveTo(parent);
}

function onSearchKey(event) {
  if (event.key === 'Escape') {
    event.preventDefault();
    if (search.value === '') return byId('stage').focus();
    search.value = '';
    update({ stale: true, scroll: true });
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    event.preventDefault();
    // What was typed just now is not drawn yet
    readRows();
    const first = rows.find(row => row.isMatch);
    if (!first) return;
    active = first.id;
    tree.focus();
    if (event.key === 'Enter') choose(first.id, event);
    update({ scroll: true });
  }
}

/** Draws the rows again after a name was typed. */
function renamed(byKey) {
  if (byKey) tree.focus();
  update({ stale: true });
}
