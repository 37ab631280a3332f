// Fields of a rendering method: algorithm, preset, parameters and channel, from the server's tables.

import { button, buttons, choice, element, hint } from './controls.js';
import { fields as parameterFields } from './parameters.js';

/** Labels of channels. */
const CHANNELS = {
  depth: 'depth', position: 'position', ng: 'geometric normals', ns: 'shading normals', albedo: 'albedo',
  ids: 'object and material ids', ao: 'ambient occlusion', variance: 'variance', reflections: 'levels of reflection',
  features: 'features for denoising', alpha: 'coverage', clamped: 'light removed with fireflies',
};

/** What presets are for. */
const PRESETS = {
  preview: 'Fastest frames: few virtual point lights (VPLs)',
  wald03: 'As published in 2003: without the light that the limit of near VPLs takes away',
  interactive: 'Path tracing with few samples per frame, which is better once denoised; it replaces igi',
  final: 'Final images: more virtual point lights (VPLs), and photons for caustics',
};

/** Returns the label of a method. */
export const nameOf = method => (method.channel ? CHANNELS[method.channel] ?? method.channel : method.algorithm);

/** Whether the parameters of each image are unfolded; kept when the panel is rebuilt. */
const open = new Map();

/**
 * Returns the fields of a method.
 *
 * * `which` — which of the two images it is for.
 * * `set` — called with changed settings.
 */
export function fields(which, method, { algorithms, channels }, set) {
  const algorithm = algorithms.find(a => a.name === method.algorithm);
  return [
    choice('Algorithm', algorithms.map(a => [a.name, a.name]), method.algorithm, name => set({ algorithm: name }), algorithm.summary),
    hint(algorithm.summary),
    algorithm.presets.length ? buttons(...algorithm.presets.map(preset => presetButton(preset, method, set))) : null,
    parameters(which, algorithm, method, set),
    choice('Channel', [['', 'radiance'], ...channels.map(c => [c, CHANNELS[c] ?? c])], method.channel, channel => set({ channel })),
  ];
}

/** Returns the button of a preset, which is pressed while the method has all of its values. */
function presetButton({ name, algorithm, parameters }, method, set) {
  const choose = button(name, () => set({ preset: name }), PRESETS[name] ?? 'Set all parameters');
  const isSet = method.algorithm === algorithm && JSON.stringify(method.parameters) === JSON.stringify(parameters);
  choose.setAttribute('aria-pressed', String(isSet));
  return choose;
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
