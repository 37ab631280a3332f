// How one picture is computed: algorithm, preset, parameters, channel. All from the server's tables.

import { button, buttons, check, choice, element, hint, slider } from './controls.js';

export const CHANNELS = {
  depth: 'depth', position: 'position', ng: 'normals of triangles', ns: 'shading normals', albedo: 'albedo',
  ids: 'objects and materials', ao: 'ambient occlusion', variance: 'variance', reflections: 'levels of reflection',
};

/** As a word or two. */
export const nameOf = method => (method.channel ? CHANNELS[method.channel] ?? method.channel : method.algorithm);

/** Whether the parameters are open, by picture; kept while the panel is made anew. */
const open = new Map();

/** * `which` — for a screen reader, and to tell the two apart. * `set` — takes what has changed. */
export function fields(which, method, { algorithms, channels }, set) {
  const algorithm = algorithms.find(a => a.name === method.algorithm);
  return [
    choice('Algorithm', algorithms.map(a => [a.name, a.name]), method.algorithm, name => set({ algorithm: name }), algorithm.summary),
    hint(algorithm.summary),
    algorithm.presets.length ? buttons(...algorithm.presets.map(preset => button(preset, () => set({ preset }), 'Sets all parameters'))) : null,
    parameters(which, algorithm, method, set),
    choice('Shows', [['', 'light'], ...channels.map(c => [c, CHANNELS[c] ?? c])], method.channel, channel => set({ channel })),
  ];
}

function parameters(which, algorithm, method, set) {
  const rows = algorithm.parameters.map((p, i) => {
    const value = method.parameters[i];
    const name = p.name.replaceAll('_', ' ');
    const change = x => set({ parameter: [p.name, x] });
    if (p.integer && p.least === 0 && p.most === 1) return check(name, value === 1, on => change(on ? 1 : 0), p.summary);
    return slider(name, value, { least: p.least, most: p.most, integer: p.integer, log: p.most - p.least > 20, unit: p.unit, title: p.summary }, change);
  });
  const box = element('details', { open: open.get(which) ?? false, className: 'inner' }, element('summary', { textContent: 'Parameters' }), ...rows);
  box.addEventListener('toggle', () => open.set(which, box.open));
  return box;
}
