// Panel of rendering: methods of both images, resolution, samples, exposure and field of view.

import { checkbox, choice, element, fill, slider } from './controls.js';
import { fov, setFov } from './camera.js';
import { degreesOf, radiansOf } from './math.js';
import { newDrag } from './edits.js';
import { fields } from './panel-method.js';
import { isEditor, state } from './state.js';
import { send } from './connection.js';
import { toggle as toggleSplit } from './split.js';

const set = settings => send({ type: 'set', settings });
/** Sets the exposure, which is an edit of the scene. */
const setExposure = (settings, drag = null) => send({ type: 'set', settings, drag });

export function update(panel) {
  const { view, hello } = state;
  if (!view || !hello) return;
  const { tables } = hello;
  const compared = view.second !== null;
  const first = element('fieldset', {},
    element('legend', { textContent: compared ? 'Left' : 'Method' }),
    ...fields('first', view, tables, set),
    checkbox('Compare', compared, toggleSplit, 'Show a second image beside this one (V)'),
  );
  const second = compared && element('fieldset', {},
    element('legend', { textContent: 'Right' }),
    ...fields('second', view.second, tables, second => set({ second })),
  );
  const image = element('fieldset', {},
    element('legend', { textContent: 'Image' }),
    slider('Samples', view.samples, { least: 1, most: 65536, integer: true, log: true, title: 'Samples per pixel at which rendering stops' }, samples => set({ samples })),
    choice('Denoise', tables.denoisers.map(name => [name, DENOISERS[name] ?? name]), view.denoise, denoise => set({ denoise }), 'How noise is removed from the shown image; EXR files keep it. OIDN is Open Image Denoise, if it is installed'),
    choice('Resolution', SCALES, String(view.scale), scale => set({ scale: Number(scale) }), 'Resolution at rest, relative to the pixels of the page'),
    choice('Time per frame', budgets(view.frame_ms), String(view.frame_ms), ms => set({ frame_ms: Number(ms) }), 'Time for a frame in motion: a longer one is sharper, a shorter one more fluent'),
  );
  const display = element('fieldset', {},
    element('legend', { textContent: 'Exposure and lens' }),
    checkbox('Automatic', view.auto_exposure, auto_exposure => setExposure({ auto_exposure }), 'Adapt the exposure to the image'),
    slider('Exposure', view.auto_exposure ? state.frame?.exposure ?? 0 : view.exposure, { least: -10, most: 10, unit: 'stops', drag: newDrag }, (exposure, drag) => setExposure({ exposure }, drag)),
    choice('Tone curve', tables.tone_curves, view.tone_curve, tone_curve => set({ tone_curve })),
    view.pose.projection.Orthographic ? null : slider('Field of view', degreesOf(fov()), { least: 5, most: 140, unit: '°' }, x => setFov(radiansOf(x))),
  );
  const boxes = [first, second, image, display].filter(Boolean);
  for (const box of boxes) box.disabled = !isEditor();
  fill(panel, ...boxes);
}

/** Labels of denoisers. */
const DENOISERS = { auto: 'automatic', learned: 'neural network', features: 'guided filter', oidn: 'Intel OIDN' };

const SCALES = [['0.25', '25 %'], ['0.5', '50 %'], ['0.75', '75 %'], ['1', '100 %'], ['2', '200 %']];

/** Times of a frame in milliseconds; the current one is among them. */
const budgets = now => [...new Set([33, 50, 100, now])].sort((a, b) => a - b).map(ms => [String(ms), `${ms} ms, ${Math.round(1000 / ms)} fps`]);
