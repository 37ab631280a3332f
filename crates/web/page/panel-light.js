// Panel of the selected punctual light. Area lights are emissive materials; see panel-material.js.

import * as edits from './edits.js';
import { button, buttons, choice, color, element, empty, fill, slider } from './controls.js';
import { anglesOf, column, cross, degreesOf, fromAngles, fromColumns, length, middleOf, radiansOf, sub, unit } from './math.js';
import { isEditor, kindOf, lightOf, nodeOf, state } from './state.js';
import { hexAt, strengthOf, withColor, withStrength } from './strength.js';

const drag = edits.newDrag;

const KINDS = [['Point', 'Point'], ['Spot', 'Spot'], ['Directional', 'Sun (directional)']];
/** Default `kind` of new lights. */
export const DEFAULT_KIND = { Point: 'Point', Spot: { Spot: { inner_radians: 0.4, outer_radians: 0.7 } }, Directional: 'Directional' };

export function update(panel) {
  const id = state.selection?.node;
  const node = nodeOf(id);
  const light = node && lightOf(node.light);
  panel.hidden = !light;
  if (light) fill(panel, lightFields(id, node));
  else empty(panel);
}

/** Edits a light; `make` changes a copy of its current value. */
const change = (id, make, d = null) => {
  const next = structuredClone(lightOf(id));
  make(next);
  edits.light(id, next, d);
};

/** Returns the box with the fields of a light. */
function lightFields(nodeId, node) {
  const id = node.light;
  const light = lightOf(id);
  const kind = kindOf(light.kind);
  const [power, key] = [strengthOf(light.emission), `light ${id}`];
  const unitName = kind === 'Directional' ? 'W/m²' : 'W/sr';
  const rows = [
    element('legend', { textContent: 'Light' }),
    choice('Type', KINDS, kind, next => changeKind(id, nodeId, kind, next)),
    color('Colour', hexAt(light.emission, key), (hex, d) => change(id, l => (l.emission = withColor(l.emission, hex, key)), d), drag),
    slider(kind === 'Directional' ? 'Irradiance' : 'Intensity', power, { most: Math.max(1000, power * 2), log: true, unit: unitName, drag }, (x, d) => change(id, l => (l.emission = withStrength(l.emission, x, key)), d)),
  ];
  if (kind === 'Spot') {
    rows.push(slider('Outer cone angle', degreesOf(light.kind.Spot.outer_radians), { least: 1, most: 90, unit: '°', drag }, (x, d) => change(id, l => {
      const spot = l.kind.Spot;
      spot.outer_radians = radiansOf(x);
      spot.inner_radians = Math.min(spot.inner_radians, spot.outer_radians * 0.99);
    }, d)));
  }
  if (kind === 'Directional') rows.push(timeOfDay(nodeId));
  if (kind !== 'Point') rows.push(...directionFields(nodeId));
  rows.push(buttons(button('Remove light', () => edits.removeLight(id), 'Remove the light; an object that carries it stays')));
  const box = element('fieldset', {}, ...rows);
  box.disabled = !isEditor();
  return box;
}

/** Changes the type of a light and keeps its irradiance at the centre of the scene. */
function changeKind(id, nodeId, before, kind) {
  const at = column(edits.worldFromNode(nodeId), 3);
  const distanceSquared = Math.max(length(sub(middleOf(state.scene.bounds), at)) ** 2, 1e-6);
  const isFar = k => k === 'Directional';
  const factor = isFar(before) === isFar(kind) ? 1 : isFar(kind) ? 1 / distanceSquared : distanceSquared;
  change(id, l => {
    l.kind = DEFAULT_KIND[kind];
    l.emission = l.emission.map(x => x * factor);
  });
}

/** Fields of the direction of a light: elevation above the horizon and azimuth. */
export function directionFields(id) {
  const now = () => anglesOf(unit(column(edits.worldFromNode(id), 2))).map(degreesOf);
  const [elevation, azimuth] = now();
  const rotate = (elevation, azimuth, d) => {
    const back = fromAngles(radiansOf(elevation), radiansOf(azimuth));
    edits.transformInWorld(id, lookAlong(back, column(edits.worldFromNode(id), 3)), d);
  };
  return [
    slider('Elevation', elevation, { least: -90, most: 90, unit: '°', drag }, (x, d) => rotate(x, now()[1], d)),
    slider('Azimuth', azimuth, { least: -180, most: 180, unit: '°', drag }, (x, d) => rotate(now()[0], x, d)),
  ];
}

/** Latitude and declination of the sun: late May at 45° north. East is +x, south is +z. */
const LATITUDE = Math.PI / 4;
const DECLINATION = Math.PI / 9;

const TIME_HINT = 'Moves the sun along its path over a day in late May at 45° north, which sets elevation and azimuth. Its colour, its strength and the environment stay as they are';

/** Field of the time of day, from which the position of the sun follows by its hour angle. */
export function timeOfDay(id) {
  const [sinL, cosL, sinD, cosD] = [Math.sin(LATITUDE), Math.cos(LATITUDE), Math.sin(DECLINATION), Math.cos(DECLINATION)];
  const at = unit(column(edits.worldFromNode(id), 2));
  const now = 12 + (Math.atan2(-at[0], at[1] * cosL + at[2] * sinL) * 12) / Math.PI;
  const setHour = (hour, d) => {
    const angle = ((hour - 12) * Math.PI) / 12;
    const [east, noon] = [-cosD * Math.sin(angle), cosD * Math.cos(angle)];
    const back = [east, sinL * sinD + cosL * noon, sinL * noon - cosL * sinD];
    edits.transformInWorld(id, lookAlong(back, column(edits.worldFromNode(id), 3)), d);
  };
  return slider('Time of day', now, { least: 5, most: 19, unit: 'h', drag, title: TIME_HINT }, setHour);
}

/** Returns a transform at a position that looks along −`back`. */
export function lookAlong(back, at) {
  const right = unit(cross([0, 1, 0], back), [1, 0, 0]);
  return fromColumns(right, cross(back, right), back, at);
}
