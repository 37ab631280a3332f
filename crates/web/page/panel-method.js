// How one picture is computed: algorithm, preset, parameters, channel. All from the server's tables.

import { button, buttons, choice, element, hint } from './controls.js';
import { fields as parameterFields } from './parameters.js';

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
  const rows = algorithm.parameters.flatMap((row, i) => {
    const value = method.parameters[i];
    return parameterFields(row, row.label, value, make => set({ parameter: [row.name, make(value)] }));
  });
  const box = element('details', { open: open.get(which) ?? false, className: 'inner' }, element('summary', { textContent: 'Parameters' }), ...rows);
  box.addEventListener('toggle', () => open.set(which, box.open));
  return box;
}
