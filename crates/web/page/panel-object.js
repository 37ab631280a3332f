// Panel of the selected object: name, transform and actions.

import * as edits from './edits.js';
import { button, buttons, element, fact, fill, hint, text, vectorField } from './controls.js';
import { focusSelection } from './keys.js';
import { compose, decompose } from './math.js';
import { isEditor, meshOf, nodeOf, state } from './state.js';

export function update(panel) {
  const id = state.selection?.node;
  const node = id === undefined ? null : nodeOf(id);
  if (!node) return fill(panel, hint('Click an object in the image, or select one in the panel Scene.'));
  const mesh = meshOf(node.instance?.mesh);
  const facts = [
    element('strong', { textContent: node.name || `node ${id}` }),
    mesh && fact('Triangles', mesh.triangles.toLocaleString('en')),
    node.parent !== null && fact('Parent', nodeOf(node.parent)?.name || `node ${node.parent}`),
  ];
  if (!isEditor()) return fill(panel, ...facts.filter(Boolean), hint('Another browser is editing.'));
  fill(panel, ...facts.filter(Boolean), text('Name', node.name, name => edits.rename(id, name)), ...transformFields(id, node), buttons(
    button('Focus', focusSelection, 'F'),
    button(node.visible ? 'Hide' : 'Show', () => edits.visible(id, !node.visible), 'H'),
    button('Duplicate', () => edits.duplicate(id), 'Shift D'),
    button('Delete', () => edits.remove(id), 'Delete'),
  ));
}

function transformFields(id, node) {
  const now = decompose(node.parent_from_node);
  const change = part => edits.transform(id, compose({ ...decompose(nodeOf(id).parent_from_node), ...part }));
  return [
    vectorField('Position, m', now.translation, translation => change({ translation })),
    vectorField('Rotation, °', now.rotation, rotation => change({ rotation })),
    vectorField('Scale', now.scale, scale => change({ scale })),
  ];
}
