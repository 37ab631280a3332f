// How pictures are made and shown, and what they are compared with.

import { check, choice, element, fill, slider } from './controls.js';
import { fov, setFov } from './camera.js';
import { fields } from './panel-method.js';
import { isEditor, state } from './state.js';
import { send } from './connection.js';

const set = settings => send({ type: 'set', settings });

export function update(panel) {
  const { view, hello } = state;
  if (!view || !hello) return;
  const { tables } = hello;
  const compared = view.second !== null;
  const first = element('fieldset', {},
    element('legend', { textContent: compared ? 'Left' : 'Light' }),
    ...fields('first', view, tables, set),
    check('Compare', compared, split => set({ split }), 'Another picture beside this one (V)'),
  );
  const second = compared && element('fieldset', {},
    element('legend', { textContent: 'Right' }),
    ...fields('second', view.second, tables, second => set({ second })),
  );
  const picture = element('fieldset', {},
    element('legend', { textContent: 'Picture' }),
    choice('Resolution', SCALES, String(view.scale), scale => set({ scale: Number(scale) }), 'Of the picture at rest, for each pixel of the page'),
    slider('Samples', view.samples, { least: 1, most: 65536, integer: true, log: true, title: 'Per pixel; then the picture is left alone' }, samples => set({ samples })),
    check('Auto exposure', view.auto_exposure, auto_exposure => set({ auto_exposure }), 'Exposure follows the picture'),
    slider('Exposure', view.auto_exposure ? state.frame?.exposure ?? 0 : view.exposure, { least: -10, most: 10, unit: 'stops' }, exposure => set({ exposure })),
    choice('Tone curve', tables.tone_curves, view.tone_curve, tone_curve => set({ tone_curve })),
    view.pose.projection.Orthographic ? null : slider('Angle of view', (fov() * 180) / Math.PI, { least: 5, most: 140, unit: '°' }, x => setFov((x * Math.PI) / 180)),
  );
  const boxes = [first, second, picture].filter(Boolean);
  for (const box of boxes) box.disabled = !isEditor();
  fill(panel, ...boxes);
}

const SCALES = [['0.25', 'a quarter'], ['0.5', 'half'], ['0.75', 'three quarters'], ['1', 'full'], ['2', 'twice']];
