// A hint when the camera sees nothing of the scene.

import { pose, project } from './camera.js';
import { button, element } from './controls.js';
import { aspect, cornersOf, imageRect } from './overlay.js';
import { on, state } from './state.js';

/** Smallest extent of a scene that can be seen, in pixels. */
const MIN_PIXELS = 1;

export function start(stage, reset) {
  const back = button('Reset view (R)', reset, 'Go back to the initial view');
  const hint = element('div', { id: 'lost', hidden: true }, element('span', { textContent: 'Nothing of the scene is in view.' }), back);
  hint.setAttribute('role', 'status');
  stage.append(hint);
  const update = () => (hint.hidden = !isLost());
  for (const key of ['frame', 'moved', 'scene']) on(key, update);
}

/** Whether the bounding box of the scene is outside of the image, or too small to be seen. */
function isLost() {
  if (!state.scene || !state.frame) return false;
  const [low, high] = state.scene.bounds;
  // An empty scene is not lost
  if (low.every((x, i) => x >= high[i])) return false;
  const { width, height } = imageRect();
  const all = cornersOf([low, high]).map(corner => project(pose(), aspect(), corner));
  const ahead = all.filter(at => at !== null && at.depth > 0);
  if (ahead.length === 0) return true;
  // Edges that pass the camera may be anywhere in the image
  if (ahead.length < all.length) return false;
  const [across, down] = [ahead.map(({ x }) => x * width), ahead.map(({ y }) => y * height)];
  const isOutside = (values, size) => Math.max(...values) < 0 || Math.min(...values) > size;
  const extent = Math.max(...[across, down].map(values => Math.max(...values) - Math.min(...values)));
  return isOutside(across, width) || isOutside(down, height) || extent < MIN_PIXELS;
}
