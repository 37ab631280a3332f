// How pictures are made and shown. Algorithms and their parameters come from the server's tables.

import { button, buttons, check, choice, element, fill, hint, slider } from './controls.js';
import { fov, setFov } from './camera.js';
import { isEditor, state } from './state.js';
import { send } from './connection.js';

const set = settings => send({ type: 'set', settings });

export function update(panel) {
  const { view, hello } = state;
  if (!view || !hello) return;
  const { algorithms, channels, tone_curves } = hello.tables;
  const algorithm = algorithms.find(a => a.name === view.algorithm);
  const all = element('fieldset', {},
    element('legend', { textContent: 'Light' }),
    choice('Algorithm', algorithms.map(a => [a.name, a.name]), view.algorithm, name => set({ algorithm: name }), algorithm.summary),
    hint(algorithm.summary),
    algorithm.presets.length ? presets(algorithm) : null,
    parameters(algorithm, view),
  );
  const picture = element('fieldset', {},
    element('legend', { textContent: 'Picture' }),
    choice('Shows', [['', 'light'], ...channels.map(c => [c, CHANNELS[c] ?? c])], view.channel, channel => set({ channel })),
    choice('Resolution', SCALES, String(view.scale), scale => set({ scale: Number(scale) }), 'Of the picture at rest, for each pixel of the page'),
    slider('Samples', view.samples, { least: 1, most: 65536, integer: true, log: true, title: 'Per pixel; then the picture is left alone' }, samples => set({ samples })),
    check('Auto exposure', view.auto_exposure, auto_exposure => set({ auto_exposure }), 'Exposure follows the picture'),
    slider('Exposure', view.auto_exposure ? state.frame?.exposure ?? 0 : view.exposure, { least: -10, most: 10, unit: 'stops' }, exposure => set({ exposure })),
    choice('Tone curve', tone_curves, view.tone_curve, tone_curve => set({ tone_curve })),
    view.pose.projection.Orthographic ? null : slider('Angle of view', (fov() * 180) / Math.PI, { least: 5, most: 140, unit: '°' }, x => setFov((x * Math.PI) / 180)),
  );
  for (const box of [all, picture]) box.disabled = !isEditor();
  fill(panel, all, picture);
}

const CHANNELS = {
  depth: 'depth', position: 'position', ng: 'normals of triangles', ns: 'shading normals', albedo: 'albedo',
  ids: 'objects and materials', ao: 'ambient occlusion', variance: 'variance',
};
const SCALES = [['0.25', 'a quarter'], ['0.5', 'half'], ['0.75', 'three quarters'], ['1', 'full'], ['2', 'twice']];

/** Whether the parameters are open, kept while the panel is made anew. */
let open = false;

function presets(algorithm) {
  return buttons(...algorithm.presets.map(preset => button(preset, () => set({ preset }), 'Sets all parameters')));
}

function parameters(algorithm, view) {
  const rows = algorithm.parameters.map((p, i) => {
    const value = view.parameters[i];
    const name = p.name.replaceAll('_', ' ');
    const change = x => set({ parameter: [p.name, x] });
    if (p.integer && p.least === 0 && p.most === 1) return check(name, value === 1, on => change(on ? 1 : 0), p.summary);
    return slider(name, value, { least: p.least, most: p.most, integer: p.integer, log: p.most - p.least > 20, unit: p.unit, title: p.summary }, change);
  });
  const box = element('details', { open, className: 'inner' }, element('summary', { textContent: 'Parameters' }), ...rows);
  box.addEventListener('toggle', () => (open = box.open));
  return box;
}
