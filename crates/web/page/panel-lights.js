// Panel of all punctual lights: the sun, the list, and new lights.

import * as edits from './edits.js';
import { button, buttons, element, fill, hint } from './controls.js';
import { icon } from './icons.js';
import { middleOf, unit } from './math.js';
import { REPLACED_SKY, hasSun } from './panel-environment.js';
import { DEFAULT_KIND, directionFields, lookAlong, timeOfDay } from './panel-light.js';
import { ask } from './question.js';
import { isSelected, select } from './selection.js';
import { sceneSize } from './size.js';
import { emissiveMaterials, isEditor, lightOf, state } from './state.js';
import { nameOf, nodeKind } from './tree-model.js';

/** Largest number of listed lights; the tree has all. */
const MAX_LISTED = 100;

export function update(panel) {
  if (!state.scene) return;
  const holders = state.scene.nodes.filter(({ node }) => node.light !== null && lightOf(node.light));
  const sun = holders.find(({ node }) => lightOf(node.light).kind === 'Directional');
  const more = holders.length - MAX_LISTED;
  fill(
    panel,
    sun ? box('Sun', timeOfDay(sun.id), ...directionFields(sun.id), hint('Select the sun to change its colour and strength.')) : null,
    box(
      'Lights',
      holders.length ? element('div', { className: 'list' }, ...holders.slice(0, MAX_LISTED).map(lightRow)) : hint('There are no point, spot or directional lights.'),
      more > 0 ? hint(`… and ${more.toLocaleString('en')} more, which the tree lists.`) : null,
      emissiveHint(),
      buttons(
        button('Add point', () => addLight('Point'), 'Add a point light'),
        button('Add spot', () => addLight('Spot'), 'Add a spot light'),
        button('Add sun', addSun, 'Add a directional light'),
      ),
    ),
  );
}

function box(name, ...rows) {
  const created = element('fieldset', {}, element('legend', { textContent: name }), ...rows);
  created.disabled = !isEditor();
  return created;
}

/** Returns a row of the list: a button that selects the light, and one that switches it off or on. */
function lightRow({ id, node }) {
  const name = nameOf(id, node);
  const title = `Select ${name}, to change it`;
  const choose = element('button', { type: 'button', className: node.visible ? '' : 'off', title, onclick: () => select({ node: id, material: null }) }, icon(nodeKind(node)), element('span', { className: 'name', textContent: name }));
  choose.setAttribute('aria-current', String(isSelected(id)));
  const eye = element('button', { type: 'button', className: 'eye', title: node.visible ? 'Switch off' : 'Switch on', onclick: () => edits.visible(id, !node.visible) }, icon(node.visible ? 'eye' : 'eye-off'));
  eye.setAttribute('aria-label', `${node.visible ? 'Switch off' : 'Switch on'} ${name}`);
  return element('div', { className: 'light-row' }, choose, eye);
}

function emissiveHint() {
  const emissive = emissiveMaterials();
  if (emissive === 0) return null;
  return hint(emissive === 1 ? 'One material is emissive: select an object with it to edit it.' : `${emissive} materials are emissive: select an object with one to edit it.`);
}

/** Adds a sun; asks first if the environment has one, whose shadows would stay. */
async function addSun() {
  const question = 'The stage Sky has a sun, whose elevation and azimuth are set above in this panel. If one colour replaces the sky, the sun that is added is the only one.';
  const answer = hasSun()
    ? await ask('The sky has a sun already', question, [['replace', 'Replace the sky'], ['second', 'Add a second sun'], ['cancel', 'Cancel']])
    : 'second';
  if (answer === 'cancel') return;
  addLight('Directional', answer === 'replace' ? [REPLACED_SKY] : []);
}

/** Adds a light above the centre of the scene; edits `before` it are the same step. */
function addLight(kind, before = []) {
  const [low, high] = state.scene.bounds;
  const extent = Math.max(sceneSize(), 1e-3);
  const [x, , z] = middleOf([low, high]);
  const at = [x, low[1] + 0.75 * (high[1] - low[1]), z];
  const power = kind === 'Directional' ? 3 : 0.4 * extent * extent;
  const names = { Point: 'point light', Spot: 'spot light', Directional: 'sun' };
  const back = kind === 'Spot' ? [0, 1, 1e-4] : unit([0.4, 0.8, 0.45]);
  edits.addLight({ name: names[kind], emission: [power, power, power], kind: DEFAULT_KIND[kind] }, lookAlong(unit(back), at), before);
}
