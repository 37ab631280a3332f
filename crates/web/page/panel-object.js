// Panel of the selected object: name, transform and actions; without a selection, a hint and the facts of the scene.

import { duplicate } from './duplicate.js';
import * as edits from './edits.js';
import { button, buttons, element, empty, fact, fill, hint, link, text, vectorField } from './controls.js';
import { centerInNode } from './gizmo.js';
import { focusSelection } from './picking.js';
import { column, decompose, multiply, point, sub, translation, withRotation, withScale } from './math.js';
import { facts as sceneFacts } from './panel-scene.js';
import { select, selectedNodes } from './selection.js';
import { isEditor, meshOf, nodeOf, state } from './state.js';
import { icon } from './icons.js';
import { nameOf, nodeKind } from './tree-model.js';

export function update(panel) {
  if (!state.scene) return;
  const id = state.selection?.node;
  const node = id === undefined ? null : nodeOf(id);
  if (!node) {
    // What is typed there was for a node that has been removed
    empty(panel);
    return fill(panel, hint('Click an object in the image or in the tree to see its properties.'), ...sceneFacts());
  }
  const selected = selectedNodes();
  const head = [
    element('div', { className: 'object-head' }, icon(nodeKind(node)), element('strong', { textContent: nameOf(id, node), title: nameOf(id, node) })),
    selected.length > 1 ? hint(`One of ${selected.length} selected objects. The buttons below and the handles change all of them.`) : null,
  ];
  const rows = [...head, ...facts(node)].filter(Boolean);
  if (!isEditor()) return fill(panel, ...rows, hint('Another browser is editing.'));
  fill(panel, ...rows, text('Name', node.name, name => edits.rename(id, name)), ...transformFields(id), buttons(
    button('Focus', focusSelection, 'Move the camera to it (F)'),
    button(node.visible ? 'Hide' : 'Show', () => edits.visible(selectedNodes(), !node.visible), `${node.visible ? 'Hide' : 'Show'} it (H)`),
    button('Duplicate', () => duplicate(selectedNodes()), 'Add a copy (Shift D)'),
    button('Delete', () => edits.remove(selectedNodes()), 'Delete it and all that is in it (Delete)'),
  ));
}

/** Returns what is known of a node: the size of its mesh, and its parent, which a click selects. */
function facts(node) {
  const mesh = meshOf(node.instance?.mesh);
  const parent = nodeOf(node.parent);
  return [
    mesh && (mesh.triangles || !mesh.shapes) && fact('Triangles', mesh.triangles.toLocaleString('en')),
    mesh?.shapes && fact('Shapes', mesh.shapes.toLocaleString('en')),
    parent && link('Parent', nameOf(node.parent, parent), () => select({ node: node.parent, material: null }), 'Select its parent'),
  ];
}

function transformFields(id) {
  const now = () => nodeOf(id).parent_from_node;
  // About the same centre as by the handles: the origin of many objects is far from them
  const changeAboutCenter = after => {
    const center = centerInNode(id);
    edits.transform(id, multiply(translation(sub(point(now(), center), point(after, center))), after));
  };
  return [
    vectorField('Position, m', () => column(now(), 3), position => edits.transform(id, [...now().slice(0, 9), ...position])),
    vectorField('Rotation, °', () => decompose(now()).rotation, degrees => changeAboutCenter(withRotation(now(), degrees))),
    // A scale of 0 would lose the axis, and with it the way back
    vectorField('Scale', () => decompose(now()).scale, factors => changeAboutCenter(withScale(now(), factors)), x => Number.isFinite(x) && x !== 0),
  ];
}
