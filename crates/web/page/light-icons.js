// Icons over the image: a bulb, a lamp with a cone, a sun, and a panel for objects that emit light.

import { heightAt } from './camera.js';
import { worldFromNode } from './edits.js';
import { add, column, dot, middleOf, point, scale, sub, unit } from './math.js';
import { imagePose, imageRect, pixel, screen } from './overlay.js';
import { isSelected, isVisible } from './selection.js';
import { isEmissive, kindOf, lightOf, materialOf, meshOf, on, state } from './state.js';

/** Distance within which an icon is hit, CSS pixels. */
const HIT_DISTANCE = 14;
/** Largest number of emissive objects with an icon: more would hide the image. */
const MAX_EMISSIVE = 100;

export const isLight = node => node !== null && node.light !== null && node.instance === null;
const lightKind = node => kindOf(lightOf(node.light)?.kind ?? 'Point');

const emitsLight = ({ instance }) => Boolean(instance?.materials.map(materialOf).some(material => material && isEmissive(material)));
/** Rows of the lights and the first emissive objects of the scene. */
let marked = [];
on('scene', ({ nodes }) => {
  const emissive = nodes.filter(({ node }) => emitsLight(node)).slice(0, MAX_EMISSIVE);
  marked = [...nodes.filter(({ node }) => isLight(node)), ...emissive];
});

/** Where the icon of a light or an emissive object is. */
function iconPosition(id, node) {
  if (isLight(node)) return lightPosition(id, node);
  const box = meshOf(node.instance.mesh)?.bounds;
  return box ? point(worldFromNode(id), middleOf(box)) : column(worldFromNode(id), 3);
}

/**
 * Position at which a light is shown: that of its node. A sun may be anywhere, since only its direction counts: one
 * outside of the image is shown in the upper part of it.
 */
export function lightPosition(id, node) {
  const position = column(worldFromNode(id), 3);
  if (lightKind(node) !== 'Directional') return position;
  const at = screen(position);
  const rect = imageRect();
  const margin = 60;
  const inside = at && at.depth > 0 && at.x > rect.x + margin && at.y > rect.y + margin && at.x < rect.x + rect.width - margin && at.y < rect.y + rect.height - margin;
  if (inside) return position;
  const { world_from_view: m, projection } = imagePose();
  const forward = scale(column(m, 2), -1);
  const depth = Math.max(dot(sub(middleOf(state.scene.bounds), column(m, 3)), forward), 0.2);
  return add(column(m, 3), add(scale(forward, depth), scale(column(m, 1), 0.28 * heightAt(projection, depth))));
}

export function drawLights(context) {
  for (const { id, node } of marked) {
    const position = iconPosition(id, node);
    const at = screen(position);
    if (!at || at.depth <= 0) continue;
    const selected = isSelected(id);
    context.beginPath();
    const towards = screen(add(position, scale(unit(scale(column(worldFromNode(id), 2), -1)), 1e-2 * at.depth)));
    DRAW[isLight(node) ? lightKind(node) : 'Emissive'](context, at, towards);
    [context.lineCap, context.lineJoin] = ['round', 'round'];
    const color = !isVisible(id) ? '#8d8d8d' : selected ? '#fff3c4' : '#ffd166';
    for (const [style, width] of [['#000c', selected ? 5.5 : 4.5], [color, selected ? 2.4 : 1.8]]) {
      [context.strokeStyle, context.lineWidth] = [style, width];
      context.stroke();
    }
  }
}

function lineTo(context, from, to) {
  context.moveTo(...from);
  context.lineTo(...to);
}

const DRAW = {
  /** A panel with three rays below it. */
  Emissive(context, { x, y }) {
    context.rect(x - 8, y - 6, 16, 5);
    for (const a of [-1, 0, 1]) lineTo(context, [x + 5 * a, y + 3], [x + 7 * a, y + 8]);
  },
  /** A disc with eight rays. */
  Directional(context, { x, y }) {
    context.moveTo(x + 5, y);
    context.arc(x, y, 5, 0, 2 * Math.PI);
    for (let i = 0; i < 8; i++) {
      const [c, s] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)];
      lineTo(context, [x + 8 * c, y + 8 * s], [x + 11.5 * c, y + 11.5 * s]);
    }
  },
  /** A bulb on its socket. */
  Point(context, { x, y }) {
    context.moveTo(x - 2.5, y + 5);
    context.arc(x, y - 1.5, 6.5, Math.PI * 0.63, Math.PI * 2.37);
    context.closePath();
    lineTo(context, [x - 2.5, y + 8], [x + 2.5, y + 8]);
    lineTo(context, [x - 1.5, y + 10.5], [x + 1.5, y + 10.5]);
  },
  /** A shade that points along the light, with two rays. */
  Spot(context, { x, y }, towards) {
    const angle = towards ? Math.atan2(towards.y - y, towards.x - x) : Math.PI / 2;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const at = (a, b) => [x + a * c - b * s, y + a * s + b * c];
    context.moveTo(...at(-7, -2.5));
    for (const corner of [[3, -7], [3, 7], [-7, 2.5]]) context.lineTo(...at(...corner));
    context.closePath();
    for (const b of [-5, 0, 5]) lineTo(context, at(6.5, b), at(10.5, b * 1.5));
  },
};

/** Returns the node of the light or the emissive object whose icon is at a position, or null. */
export function lightAt(position) {
  const p = pixel(position);
  const found = marked.find(({ id, node }) => {
    const at = screen(iconPosition(id, node));
    return at && at.depth > 0 && Math.hypot(at.x - p.x, at.y - p.y) < HIT_DISTANCE;
  });
  return found?.id ?? null;
}
