// Opening uploaded scenes and environment maps.

import { toast } from './controls.js';
import { state } from './state.js';
import { mayOpen } from './unsaved.js';
import { upload } from './upload.js';

/** Returns the extension of a file, a row of `name` and `file`, in lower case. */
export const extensionOf = ({ name }) => name.split('.').pop().toLowerCase();

/** Returns whether the files are an environment map and not a scene. */
export function isEnvironmentMap(files) {
  const { extensions, maps } = state.hello.tables;
  return maps.includes(extensionOf(files[0])) && !files.some(file => extensions.includes(extensionOf(file)));
}

/** Names the types of images that can light the scene. */
export const mapTypes = () => state.hello.tables.maps.map(extension => `.${extension}`).join(', ');

/** Removes the message of the last upload, if that failed. */
let dismissFailure = null;

/** Uploads a scene or an environment map. */
export async function open(files) {
  if (files.length === 0 || !state.hello) return;
  const map = isEnvironmentMap(files);
  if (!map && !(await mayOpen())) return;
  dismissFailure?.();
  const { failure } = await (map ? upload('/environment', files, 'Opening environment map') : upload('/open', files, 'Opening'));
  if (failure) dismissFailure = toast(failure, 'problem');
}
