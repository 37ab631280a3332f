// Panel of stage and environment: the light that comes from around the scene.

import * as edits from './edits.js';
import { button, buttons, choice, color, element, fill, slider } from './controls.js';
import { send, stampInput } from './connection.js';
import { degreesOf, radiansOf } from './math.js';
import { mapTypes } from './opening.js';
import { ask } from './question.js';
import { environment as current, isEditor, kindOf, lightOf, state } from './state.js';
import { hexAt, strengthOf, withColor, withStrength } from './strength.js';

const drag = edits.newDrag;

/** Stages with a label and a description. */
const STAGES = [
  ['studio', 'Studio', 'Photo studio with key, fill and rim light'],
  ['sky', 'Sky', 'Clear sky with sun'],
  ['clay', 'Clay', 'Soft, even light'],
  [null, 'None', 'No stage and no environment: only the lights of the scene'],
];

/** Name of the stage whose environment has a sun. */
const WITH_SUN = 'sky';

export function update(panel) {
  if (state.scene) fill(panel, stageChoice(), environmentFields());
}

/** Returns the name of the current stage; undefined if the environment is another one, null if there is neither. */
function currentStage() {
  const { textures } = state.scene;
  const environment = current();
  if (environment === 'Black') return null;
  const map = textures.find(({ id }) => id === environment.Map?.texture)?.name ?? '';
  // The name of a sky whose sun was moved ends with its elevation
  return STAGES.map(([name]) => name).find(name => map === `stage ${name}` || map.startsWith(`stage ${name} `));
}

function stageChoice() {
  const current = currentStage();
  const all = STAGES.map(([name, label, title]) => {
    const choose = element('button', { type: 'button', className: `stage-${name ?? 'none'}`, title, onclick: () => chooseStage(name) }, element('i'), label);
    choose.setAttribute('aria-pressed', String(name === current));
    return choose;
  });
  const box = element('fieldset', {}, element('legend', { textContent: 'Stage' }), element('div', { className: 'stages' }, ...all));
  box.disabled = !isEditor();
  return box;
}

/** Whether the environment is an image of a sky with a sun. */
export const hasSun = () => currentStage() === WITH_SUN;

/** Edit that replaces the sky by light of one colour, that of a clear sky, so that a sun that is added is the only one. */
export const REPLACED_SKY = { Environment: { environment: { Constant: { radiance: [0.35, 0.48, 0.72] } } } };

/** Sets a stage; asks first if it has a sun and the scene has one, too. */
async function chooseStage(name) {
  const suns = state.scene.nodes.filter(({ node }) => node.visible && lightOf(node.light)?.kind === 'Directional');
  const question = 'The stage Sky has a sun of its own, whose elevation and azimuth are set in this panel. With the sun of the scene, there would be two.';
  const answer = name === WITH_SUN && suns.length > 0
    ? await ask('The scene has a sun already', question, [['replace', 'Remove the sun of the scene'], ['second', 'Keep both suns'], ['cancel', 'Cancel']])
    : 'second';
  if (answer === 'cancel') return;
  edits.stage(name, answer === 'replace' ? suns.map(({ node }) => node.light) : []);
}

/** Names the map of the environment: that of a stage or an image. */
function mapName() {
  const stage = STAGES.find(([name]) => name === currentStage());
  return stage ? `Stage ${stage[1]}` : 'Image';
}

/** Returns the radiance of an environment of one colour, or the factor of a map. */
const factorOf = ({ Constant, Map }) => Constant?.radiance ?? Map?.scale ?? null;

const withFactor = (now, factor) => (now.Constant ? { Constant: { radiance: factor } } : { Map: { ...now.Map, scale: factor } });

/** Fields of the environment. */
function environmentFields() {
  const now = current();
  const kind = kindOf(now);
  const options = [['Black', 'None'], ['Constant', 'One colour']];
  if (kind === 'Map') options.push(['Map', mapName()]);
  const rows = [
    element('legend', { textContent: 'Environment' }),
    choice('Type', options, kind, next =>
      // Without an environment there is no ground of a stage either
      next === 'Constant' ? edits.environment({ Constant: { radiance: [1, 1, 1] } }) : send({ type: 'stage', name: null })),
  ];
  const factor = factorOf(now);
  if (factor) {
    const power = strengthOf(factor);
    // A field that is in use may outlive the environment that it is for
    const change = (make, d) => factorOf(current()) && edits.environment(withFactor(current(), make(factorOf(current()), 'environment')), d);
    rows.push(
      slider('Brightness', power, { most: Math.max(20, power * 2), log: true, drag }, (x, d) => change((rgb, key) => withStrength(rgb, x, key), d)),
      color('Colour', hexAt(factor, 'environment'), (hex, d) => change((rgb, key) => withColor(rgb, hex, key), d), drag),
    );
  }
  // Another environment may not be confirmed by the server yet
  const sun = kind === 'Map' ? state.scene.sky_sun : null;
  // Azimuth of the sun in the image, whose rotation is that of the environment
  const azimuthInMap = sun ? sun.azimuth - degreesOf(now.Map.rotation_y_radians) : 0;
  const rotate = (degrees, d) => current().Map && edits.environment({ Map: { ...current().Map, rotation_y_radians: radiansOf(degrees) } }, d);
  if (sun) {
    rows.push(
      slider('Sun elevation', sun.elevation, { least: 0, most: 90, unit: '°', drag, title: 'Angle between the sun and the horizon: the sky takes the colours of sunset below 40°' }, (x, d) =>
        send({ type: 'sun', elevation: x, drag: d, input: stampInput() })),
      slider('Sun azimuth', sun.azimuth, { least: -180, most: 180, unit: '°', drag, title: 'Direction of the sun about the vertical' }, (x, d) => rotate(x - azimuthInMap, d)),
    );
  } else if (kind === 'Map') {
    rows.push(slider('Rotation', degreesOf(now.Map.rotation_y_radians), { least: -180, most: 180, unit: '°', drag }, rotate));
  }
  rows.push(buttons(button('Open map …', () => document.getElementById('open-files').click(), `Latitude-longitude image or cube map (${mapTypes()}); it can also be dropped on the page`)));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}
