// Handles of the selected objects: which there are, which one the pointer is on, and drags.

import { heightAt } from './camera.js';
import { cancelDrag, newDrag, transformAllInWorld, worldFromNode } from './edits.js';
import { transformHandles } from './handles.js';
import { isLight, lightPosition } from './light-icons.js';
import { lightHandles } from './light-handles.js';
import { column, cross, dot, inverse, middleOf, point, scale, sub, unit } from './math.js';
import { bounds, imagePose, imageRect, pixel, screen } from './overlay.js';
import * as readout from './readout.js';
import { roots, selectedNodes } from './selection.js';
import { snaps } from './snapping.js';
import { isEditor, lightOf, meshOf, nodeOf, state } from './state.js';

const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
/** Name of the handle that is being dragged. */
let active = null;

/** Modes that apply to the selected nodes. Lights have no size, and point lights no direction. */
export function modes() {
  const nodes = roots(selectedNodes()).map(nodeOf);
  if (!nodes.some(isLight)) return ['move', 'rotate', 'scale'];
  const turns = nodes.length > 1 || lightOf(nodes[0].light)?.kind !== 'Point';
  return turns ? ['move', 'rotate'] : ['move'];
}

/** The chosen mode, or the first one that applies. */
export const mode = () => (modes().includes(state.gizmo) ? state.gizmo : 'move');

/**
 * Frame of the handles: `rows` of the nodes with their transforms, `origin` with its place `at` in the image, `axes`,
 * `metres` per CSS pixel at the origin, `pivot` of rotations, and `center` in object space, if there is a single node.
 */
function frameOf(ids) {
  const rows = ids.map(id => ({ id, world: worldFromNode(id) })).filter(({ world }) => world);
  if (rows.length === 0) return null;
  const { origin, center, pivot = origin } = centerOf(rows);
  const at = screen(origin);
  if (!at || at.depth <= 0) return null;
  return { rows, mode: mode(), origin, center, pivot, at, metres: heightAt(imagePose().projection, at.depth) / imageRect().height, axes: axesOf(rows, center) };
}

/** Axes of the handles. Scaling is along those of a single object, moving and rotating as chosen. */
function axesOf(rows, center) {
  if (mode() === 'scale') return center ? [0, 1, 2].map(i => unit(column(rows[0].world, i), AXES[i])) : AXES;
  if (!state.local) return AXES;
  // Of several objects, those of the one that the panels show
  const { world } = rows.find(({ id }) => id === state.selection?.node) ?? rows.at(-1);
  const x = unit(column(world, 0), AXES[0]);
  const across = sub(column(world, 1), scale(x, dot(x, column(world, 1))));
  // Also of sheared objects, the axes are perpendicular
  const y = unit(across, unit(cross(AXES[2], x), AXES[1]));
  const z = cross(x, y);
  return [x, y, dot(z, column(world, 2)) < 0 ? scale(z, -1) : z];
}

/** Centre of the nodes: that of the bounding box, since many meshes are far from their origin. */
function centerOf(rows) {
  if (rows.length > 1) {
    const boxes = rows.map(({ id }) => bounds(id));
    const end = (i, of) => [0, 1, 2].map(axis => of(...boxes.map(box => box[i][axis])));
    return { origin: middleOf([end(0, Math.min), end(1, Math.max)]), center: null };
  }
  const [{ id, world }] = rows;
  const node = nodeOf(id);
  if (isLight(node)) return { origin: lightPosition(id, node), center: [0, 0, 0], pivot: column(world, 3) };
  const box = meshOf(node.instance?.mesh)?.bounds;
  if (box) {
    const center = middleOf(box);
    return { origin: point(world, center), center };
  }
  // A group: the centre of what is in it
  const origin = middleOf(bounds(id));
  const nodeFromWorld = inverse(world);
  return { origin, center: nodeFromWorld ? point(nodeFromWorld, origin) : [0, 0, 0] };
}

/** Centre of a node in its own space, about which it is rotated and scaled. */
export const centerInNode = id => centerOf([{ id, world: worldFromNode(id) }]).center;

/** Returns the handles of the selected nodes. */
function handles() {
  if (!isEditor()) return [];
  const ids = roots(selectedNodes());
  const frame = ids.length === 0 ? null : frameOf(ids);
  if (!frame) return [];
  const light = ids.length === 1 && isLight(nodeOf(ids[0])) ? lightHandles(frame, ids[0]) : [];
  return [...light, ...transformHandles(frame)];
}

/** Draws the handles of the selected nodes. */
export function drawGizmo(context) {
  // The first ones are hit first, so they are drawn last
  for (const handle of handles().reverse()) handle.draw(context, handle.name === active);
}

/** Returns the nearest handle within hit distance, or null. */
function handleAt(position) {
  const p = pixel(position);
  let best = null;
  for (const handle of handles()) {
    const distance = handle.distance(p);
    if (distance < (best?.distance ?? Infinity)) best = { handle, distance };
  }
  return best?.handle ?? null;
}

/** Whether there is a handle at a position of the image. */
export const hover = position => handleAt(position) !== null;

/** Starts a drag of the handle at a position of the image; null if there is none. */
export function grab(position) {
  const handle = handleAt(position);
  if (handle === null) return null;
  const drag = newDrag();
  const measure = handle.start(position, drag);
  active = handle.name;
  let changed = false;
  const end = () => {
    active = null;
    readout.hide();
  };
  return {
    move(position, ctrl) {
      const result = measure(position, snaps(ctrl));
      if (result === null) return;
      changed = true;
      if (result.rows.length > 0) transformAllInWorld(result.rows, drag);
      readout.show(result.text, position);
    },
    drop: end,
    cancel() {
      end();
      if (changed) cancelDrag(drag);
    },
  };
}
