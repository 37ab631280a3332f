// Lights without extent, and the light from outside. Lamps with extent are materials that emit.

import * as edits from './edits.js';
import { button, buttons, choice, color, element, fill, hint, slider } from './controls.js';
import { column, colorOf, cross, fromColumns, hexOf, length, sub, unit } from './math.js';
import { isEditor, lightOf, set, state } from './state.js';

const drag = edits.newDrag;

const KINDS = [['Point', 'Point'], ['Spot', 'Spot'], ['Directional', 'Sun, or very far away']];
const NEW_KIND = { Point: 'Point', Spot: { Spot: { inner_radians: 0.4, outer_radians: 0.7 } }, Directional: 'Directional' };

export function update(panel) {
  if (!state.scene) return;
  const holders = state.scene.nodes.filter(({ node }) => node.light !== null);
  const lamps = state.scene.materials.filter(({ material }) => Math.max(...material.emission.radiance) > 0).length;
  const lit = holders.map(({ id, node }) => one(id, node));
  fill(
    panel,
    ...(lit.length ? lit : [hint('There are no point, spot or directional lights.')]),
    lamps ? hint(`${lamps === 1 ? 'One material glows' : `${lamps} materials glow`}: pick the lamp to change it.`) : null,
    isEditor()
      ? buttons(
          button('Add point', () => addLight('Point')),
          button('Add spot', () => addLight('Spot')),
          button('Add sun', () => addLight('Directional')),
        )
      : null,
    environment(),
  );
}

/** The same light with other values; from the newest. */
const change = (id, make, d = null) => {
  const next = structuredClone(lightOf(id));
  make(next);
  edits.light(id, next, d);
};

function one(node_id, node) {
  const id = node.light;
  const light = lightOf(id);
  const kind = typeof light.kind === 'string' ? light.kind : Object.keys(light.kind)[0];
  const power = Math.max(...light.emission);
  const tone = power > 0 ? light.emission.map(x => x / power) : [1, 1, 1];
  const unit_name = kind === 'Directional' ? 'W/m²' : 'W/sr';
  const rows = [
    element('legend', { textContent: light.name || node.name || `light ${id}` }),
    choice('Type', KINDS, kind, next => changeKind(id, node_id, kind, next)),
    color('Colour', hexOf(tone), (hex, d) => change(id, l => (l.emission = colorOf(hex).map(x => x * power)), d), drag),
    slider('Power', power, { most: Math.max(1000, power * 2), log: true, unit: unit_name, drag }, (x, d) => change(id, l => (l.emission = tone.map(t => t * x)), d)),
  ];
  if (kind === 'Spot') {
    const degrees = radians => (radians * 180) / Math.PI;
    rows.push(slider('Outer angle', degrees(light.kind.Spot.outer_radians), { least: 1, most: 90, unit: '°', drag }, (x, d) => change(id, l => {
      const spot = l.kind.Spot;
      spot.outer_radians = (x * Math.PI) / 180;
      spot.inner_radians = Math.min(spot.inner_radians, spot.outer_radians * 0.99);
    }, d)));
  }
  if (kind !== 'Point') rows.push(...direction(node_id));
  if (kind === 'Directional') rows.push(timeOfDay(node_id));
  rows.push(buttons(
    button('Pick', () => set('selection', { node: node_id, material: null }), 'Shows its handles'),
    button(node.visible ? 'Off' : 'On', () => edits.visible(node_id, !node.visible)),
    button('Remove', () => edits.removeLight(id)),
  ));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}

/** Another type of light that is as bright in the middle of the scene. */
function changeKind(id, node_id, before, kind) {
  const at = column(edits.worldFromNode(node_id), 3);
  const middle = state.scene.bounds[0].map((low, i) => (low + state.scene.bounds[1][i]) / 2);
  const square = Math.max(length(sub(middle, at)) ** 2, 1e-6);
  const isFar = k => k === 'Directional';
  const factor = isFar(before) === isFar(kind) ? 1 : isFar(kind) ? 1 / square : square;
  change(id, l => {
    l.kind = NEW_KIND[kind];
    l.emission = l.emission.map(x => x * factor);
  });
}

/** Where its light comes from: height above the horizon, and the way around. */
function direction(id) {
  const back = unit(column(edits.worldFromNode(id), 2));
  const height = (Math.asin(Math.max(-1, Math.min(1, back[1]))) * 180) / Math.PI;
  const way = (Math.atan2(back[0], back[2]) * 180) / Math.PI;
  const turn = (height, way, d) => {
    const [h, w] = [(height * Math.PI) / 180, (way * Math.PI) / 180];
    const back = [Math.sin(w) * Math.cos(h), Math.sin(h), Math.cos(w) * Math.cos(h)];
    edits.transformInWorld(id, looking(back, column(edits.worldFromNode(id), 3)), d);
  };
  return [
    slider('Height', height, { least: -90, most: 90, unit: '°', drag }, (x, d) => turn(x, way, d)),
    slider('Direction', way, { least: -180, most: 180, unit: '°', drag }, (x, d) => turn(height, x, d)),
  ];
}

/** Early summer at 45° north; east is +x, south +z. */
const LATITUDE = Math.PI / 4;
const DECLINATION = Math.PI / 9;

/** The path of the sun over a day: from the hour angle to where it stands, and back. */
function timeOfDay(id) {
  const [sinL, cosL, sinD, cosD] = [Math.sin(LATITUDE), Math.cos(LATITUDE), Math.sin(DECLINATION), Math.cos(DECLINATION)];
  const at = unit(column(edits.worldFromNode(id), 2));
  const now = 12 + (Math.atan2(-at[0], at[1] * cosL + at[2] * sinL) * 12) / Math.PI;
  const to = (hour, d) => {
    const angle = ((hour - 12) * Math.PI) / 12;
    const [east, noon] = [-cosD * Math.sin(angle), cosD * Math.cos(angle)];
    const back = [east, sinL * sinD + cosL * noon, sinL * noon - cosL * sinD];
    edits.transformInWorld(id, looking(back, column(edits.worldFromNode(id), 3)), d);
  };
  return slider('Time of day', now, { least: 5, most: 19, unit: 'h', drag }, to);
}

/** A transform whose −z points away from `back`. */
function looking(back, at) {
  const right = unit(cross([0, 1, 0], back), [1, 0, 0]);
  return fromColumns(right, cross(back, right), back, at);
}

/** Between the camera and the middle of the scene, from above. */
function addLight(kind) {
  const [low, high] = state.scene.bounds;
  const size = sub(high, low);
  const extent = Math.max(length(size), 1e-3);
  const middle = low.map((x, i) => x + size[i] / 2);
  const at = [middle[0], low[1] + 0.75 * size[1], middle[2]];
  const power = kind === 'Directional' ? 3 : 0.4 * extent * extent;
  const names = { Point: 'point light', Spot: 'spot light', Directional: 'sun' };
  const back = kind === 'Spot' ? [0, 1, 1e-4] : unit([0.4, 0.8, 0.45]);
  edits.addLight({ name: names[kind], emission: [power, power, power], kind: NEW_KIND[kind] }, looking(unit(back), at));
}

function environment() {
  const now = state.scene.environment;
  const kind = typeof now === 'string' ? now : Object.keys(now)[0];
  const options = [['Black', 'None'], ['Constant', 'The same from everywhere']];
  if (kind === 'Map') options.push(['Map', 'A map']);
  const rows = [
    element('legend', { textContent: 'From outside' }),
    choice('Kind', options, kind, next => edits.environment(next === 'Constant' ? { Constant: { radiance: [1, 1, 1] } } : 'Black')),
  ];
  const strength = kind === 'Constant' ? now.Constant.radiance : kind === 'Map' ? now.Map.scale : null;
  if (strength) {
    const power = Math.max(...strength);
    const tone = power > 0 ? strength.map(x => x / power) : [1, 1, 1];
    const with_strength = s => (kind === 'Constant' ? { Constant: { radiance: s } } : { Map: { ...state.scene.environment.Map, scale: s } });
    rows.push(
      slider('Brightness', power, { most: Math.max(20, power * 2), log: true, drag }, (x, d) => edits.environment(with_strength(tone.map(t => t * x)), d)),
      color('Tint', hexOf(tone), (hex, d) => edits.environment(with_strength(colorOf(hex).map(t => t * power)), d), drag),
    );
  }
  if (kind === 'Map') {
    const degrees = (now.Map.rotation_y_radians * 180) / Math.PI;
    rows.push(slider('Turned', degrees, { least: -180, most: 180, unit: '°', drag }, (x, d) =>
      edits.environment({ Map: { ...state.scene.environment.Map, rotation_y_radians: (x * Math.PI) / 180 } }, d)));
  }
  rows.push(buttons(button('Open a map …', () => document.getElementById('open-files').click(), 'A picture of all around: .hdr, .exr, .png or .jpg; or drop it on the page')));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}
