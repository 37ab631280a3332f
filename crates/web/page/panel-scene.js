// Panel of the scene: counts, and notes of the import.

import { element, fact, fill, hint } from './controls.js';
import { sizeText } from './size.js';
import { emissiveMaterials, fileOf, state } from './state.js';

/** Largest number of notes that are shown. */
const MAX_NOTES = 50;

export function update(panel) {
  if (!state.scene) return;
  const { notes } = state.scene;
  const more = notes.length - MAX_NOTES;
  fill(
    panel,
    ...facts(),
    element('h2', { textContent: 'Notes of the import' }),
    notes.length
      ? element('ul', { className: 'notes' }, ...notes.slice(0, MAX_NOTES).map(note => element('li', { textContent: note })))
      : hint('The scene was read without notes.'),
    more > 0 ? hint(`… and ${more.toLocaleString('en')} more`) : null,
  );
}

/** Returns the facts of the scene. */
export function facts() {
  const { scene } = state;
  const count = number => number.toLocaleString('en');
  const emissive = emissiveMaterials();
  const lamps = emissive ? `${count(emissive)} emissive material${emissive === 1 ? '' : 's'}` : '';
  const lights = [scene.lights.length || !emissive ? count(scene.lights.length) : '', lamps].filter(Boolean).join(', and ');
  return [
    fact('File', fileOf(scene.name), scene.name),
    fact('Size', sizeText(scene.bounds)),
    scene.triangles || !scene.shapes ? fact('Triangles', count(scene.triangles)) : null,
    scene.shapes ? fact('Shapes', count(scene.shapes)) : null,
    fact('Instances', count(scene.instances)),
    fact('Objects', count(scene.nodes.length + scene.more_nodes)),
    fact('Materials', count(scene.materials.length)),
    fact('Textures', count(scene.textures.length)),
    fact('Lights', lights),
    scene.animations.length ? fact('Animations', count(scene.animations.length)) : null,
  ];
}
