// What is picked: what it is, where it is, and what can be done with it.

import * as edits from './edits.js';
import { button, buttons, element, fact, fill, hint, text, triple } from './controls.js';
import { focusSelection } from './keys.js';
import { compose, parts } from './math.js';
import { isEditor, meshOf, nodeOf, state } from './state.js';

export function update(panel) {
  const id = state.selection?.node;
  const node = id === undefined ? null : nodeOf(id);
  if (!node) return fill(panel, hint('Click an object in the picture, or choose one from the scene below.'));
  const mesh = meshOf(node.instance?.mesh);
  const facts = [
    element('strong', { textContent: node.name || `node ${id}` }),
    mesh && fact('Triangles', mesh.triangles.toLocaleString('en')),
    node.parent !== null && fact('Part of', nodeOf(node.parent)?.name || `node ${node.parent}`),
  ];
  if (!isEditor()) return fill(panel, ...facts.filter(Boolean), hint('Another browser is editing.'));
  fill(panel, ...facts.filter(Boolean), text('Name', node.name, name => edits.rename(id, name)), ...place(id, node), buttons(
    button('Focus', focusSelection, 'F'),
    button(node.visible ? 'Hide' : 'Show', () => edits.visible(id, !node.visible), 'H'),
    button('Duplicate', () => edits.duplicate(id), 'Shift D'),
    button('Delete', () => edits.remove(id), 'Delete'),
  ));
}

function place(id, node) {
  const now = parts(node.parent_from_node);
  const change = part => edits.transform(id, compose({ ...parts(nodeOf(id).parent_from_node), ...part }));
  return [
    triple('Position, m', now.translation, translation => change({ translation })),
    triple('Rotation, °', now.rotation, rotation => change({ rotation })),
    triple('Scale', now.scale, scale => change({ scale })),
  ];
}
