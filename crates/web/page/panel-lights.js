// Panel of punctual lights and the environment. Area lights are emissive materials; see panel-material.js.

import { send } from './connection.js';
import * as edits from './edits.js';
import { button, buttons, choice, color, element, fill, hint, slider } from './controls.js';
import { column, colorOf, cross, fromColumns, hexOf, length, sub, unit } from './math.js';
import { select } from './selection.js';
import { isEditor, lightOf, set, state } from './state.js';

const drag = edits.newDrag;

const KINDS = [['Point', 'Point'], ['Spot', 'Spot'], ['Directional', 'Sun (directional)']];
/** Default `kind` of new lights. */
const DEFAULT_KIND = { Point: 'Point', Spot: { Spot: { inner_radians: 0.4, outer_radians: 0.7 } }, Directional: 'Directional' };

export function update(panel) {
  if (!state.scene) return;
  const holders = state.scene.nodes.filter(({ node }) => node.light !== null);
  const emissive = state.scene.materials.filter(({ material }) => Math.max(...material.emission.radiance) > 0).length;
  const fieldsets = holders.map(({ id, node }) => lightFields(id, node));
  fill(
    panel,
    ...(fieldsets.length ? fieldsets : [hint('There are no point, spot or directional lights.')]),
    emissive ? hint(`${emissive === 1 ? 'One material is emissive' : `${emissive} materials are emissive`}: select its object to edit it.`) : null,
    isEditor()
      ? buttons(
          button('Add point', () => addLight('Point')),
          button('Add spot', () => addLight('Spot')),
          button('Add sun', () => addLight('Directional')),
        )
      : null,
    environmentFields(),
  );
}

/** Edits a light; `make` changes a copy of its current value. */
const change = (id, make, d = null) => {
  const next = structuredClone(lightOf(id));
  make(next);
  edits.light(id, next, d);
};

function lightFields(nodeId, node) {
  const id = node.light;
  const light = lightOf(id);
  const kind = typeof light.kind === 'string' ? light.kind : Object.keys(light.kind)[0];
  const power = Math.max(...light.emission);
  const chroma = power > 0 ? light.emission.map(x => x / power) : [1, 1, 1];
  const unitName = kind === 'Directional' ? 'W/m²' : 'W/sr';
  const rows = [
    element('legend', { textContent: light.name || node.name || `light ${id}` }),
    choice('Type', KINDS, kind, next => changeKind(id, nodeId, kind, next)),
    color('Colour', hexOf(chroma), (hex, d) => change(id, l => (l.emission = colorOf(hex).map(x => x * power)), d), drag),
    slider(kind === 'Directional' ? 'Irradiance' : 'Intensity', power, { most: Math.max(1000, power * 2), log: true, unit: unitName, drag }, (x, d) => change(id, l => (l.emission = chroma.map(t => t * x)), d)),
  ];
  if (kind === 'Spot') {
    const degrees = radians => (radians * 180) / Math.PI;
    rows.push(slider('Outer cone angle', degrees(light.kind.Spot.outer_radians), { least: 1, most: 90, unit: '°', drag }, (x, d) => change(id, l => {
      const spot = l.kind.Spot;
      spot.outer_radians = (x * Math.PI) / 180;
      spot.inner_radians = Math.min(spot.inner_radians, spot.outer_radians * 0.99);
    }, d)));
  }
  if (kind !== 'Point') rows.push(...directionFields(nodeId));
  if (kind === 'Directional') rows.push(timeOfDay(nodeId));
  rows.push(buttons(
    button('Select', () => select({ node: nodeId, material: null }), 'Show its handles'),
    button(node.visible ? 'Off' : 'On', () => edits.visible(nodeId, !node.visible)),
    button('Remove', () => edits.removeLight(id)),
  ));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}

/** Changes the type of a light and keeps its irradiance at the centre of the scene. */
function changeKind(id, nodeId, before, kind) {
  const at = column(edits.worldFromNode(nodeId), 3);
  const middle = state.scene.bounds[0].map((low, i) => (low + state.scene.bounds[1][i]) / 2);
  const distanceSquared = Math.max(length(sub(middle, at)) ** 2, 1e-6);
  const isFar = k => k === 'Directional';
  const factor = isFar(before) === isFar(kind) ? 1 : isFar(kind) ? 1 / distanceSquared : distanceSquared;
  change(id, l => {
    l.kind = DEFAULT_KIND[kind];
    l.emission = l.emission.map(x => x * factor);
  });
}

/** Fields of the direction of a light: elevation above the horizon and azimuth. */
function directionFields(id) {
  const back = unit(column(edits.worldFromNode(id), 2));
  const elevation = (Math.asin(Math.max(-1, Math.min(1, back[1]))) * 180) / Math.PI;
  const azimuth = (Math.atan2(back[0], back[2]) * 180) / Math.PI;
  const rotate = (elevation, azimuth, d) => {
    const [e, a] = [(elevation * Math.PI) / 180, (azimuth * Math.PI) / 180];
    const back = [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
    edits.transformInWorld(id, lookAlong(back, column(edits.worldFromNode(id), 3)), d);
  };
  return [
    slider('Elevation', elevation, { least: -90, most: 90, unit: '°', drag }, (x, d) => rotate(x, azimuth, d)),
    slider('Azimuth', azimuth, { least: -180, most: 180, unit: '°', drag }, (x, d) => rotate(elevation, x, d)),
  ];
}

/** Latitude and declination of the sun: late May at 45° north. East is +x, south is +z. */
const LATITUDE = Math.PI / 4;
const DECLINATION = Math.PI / 9;

/** Field of the time of day, from which the position of the sun follows by its hour angle. */
function timeOfDay(id) {
  const [sinL, cosL, sinD, cosD] = [Math.sin(LATITUDE), Math.cos(LATITUDE), Math.sin(DECLINATION), Math.cos(DECLINATION)];
  const at = unit(column(edits.worldFromNode(id), 2));
  const now = 12 + (Math.atan2(-at[0], at[1] * cosL + at[2] * sinL) * 12) / Math.PI;
  const setHour = (hour, d) => {
    const angle = ((hour - 12) * Math.PI) / 12;
    const [east, noon] = [-cosD * Math.sin(angle), cosD * Math.cos(angle)];
    const back = [east, sinL * sinD + cosL * noon, sinL * noon - cosL * sinD];
    edits.transformInWorld(id, lookAlong(back, column(edits.worldFromNode(id), 3)), d);
  };
  return slider('Time of day', now, { least: 5, most: 19, unit: 'h', drag }, setHour);
}

/** Returns a transform at a position that looks along −`back`. */
function lookAlong(back, at) {
  const right = unit(cross([0, 1, 0], back), [1, 0, 0]);
  return fromColumns(right, cross(back, right), back, at);
}

/** Adds a light above the centre of the scene. */
function addLight(kind) {
  const [low, high] = state.scene.bounds;
  const size = sub(high, low);
  const extent = Math.max(length(size), 1e-3);
  const middle = low.map((x, i) => x + size[i] / 2);
  const at = [middle[0], low[1] + 0.75 * size[1], middle[2]];
  const power = kind === 'Directional' ? 3 : 0.4 * extent * extent;
  const names = { Point: 'point light', Spot: 'spot light', Directional: 'sun' };
  const back = kind === 'Spot' ? [0, 1, 1e-4] : unit([0.4, 0.8, 0.45]);
  edits.addLight({ name: names[kind], emission: [power, power, power], kind: DEFAULT_KIND[kind] }, lookAlong(unit(back), at));
}

/** Fields of the environment. */
function environmentFields() {
  const now = state.scene.environment;
  const kind = typeof now === 'string' ? now : Object.keys(now)[0];
  const options = [['Black', 'None'], ['Constant', 'Constant']];
  if (kind === 'Map') options.push(['Map', 'Environment map']);
  const rows = [
    element('legend', { textContent: 'Environment' }),
    choice('Type', options, kind, next =>
      // Without an environment there is no ground of a stage either
      next === 'Constant' ? edits.environment({ Constant: { radiance: [1, 1, 1] } }) : send({ type: 'stage', name: null })),
  ];
  const strength = kind === 'Constant' ? now.Constant.radiance : kind === 'Map' ? now.Map.scale : null;
  if (strength) {
    const power = Math.max(...strength);
    const chroma = power > 0 ? strength.map(x => x / power) : [1, 1, 1];
    const withStrength = s => (kind === 'Constant' ? { Constant: { radiance: s } } : { Map: { ...state.scene.environment.Map, scale: s } });
    rows.push(
      slider(kind === 'Constant' ? 'Radiance' : 'Strength', power, { most: Math.max(20, power * 2), log: true, drag }, (x, d) => edits.environment(withStrength(chroma.map(t => t * x)), d)),
      color('Colour', hexOf(chroma), (hex, d) => edits.environment(withStrength(colorOf(hex).map(t => t * power)), d), drag),
    );
  }
  if (kind === 'Map') {
    const degrees = (now.Map.rotation_y_radians * 180) / Math.PI;
    rows.push(slider('Rotation', degrees, { least: -180, most: 180, unit: '°', drag }, (x, d) =>
      edits.environment({ Map: { ...state.scene.environment.Map, rotation_y_radians: (x * Math.PI) / 180 } }, d)));
  }
  const stage = (name, label, title) => button(label, () => send({ type: 'stage', name }), title);
  rows.push(buttons(
    stage('studio', 'Studio', 'Photo studio with key, fill and rim light'),
    stage('sky', 'Sky', 'Clear sky with sun'),
    stage('clay', 'Clay', 'Soft, even light'),
  ));
  rows.push(buttons(button('Open environment map …', () => document.getElementById('open-files').click(), 'Latitude-longitude image: .hdr, .exr, .png or .jpg; it can also be dropped on the page')));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}
