// Uploads of files to the server.

import { toast } from './controls.js';
import { state } from './state.js';

/** Names files for messages. */
export const nameOfFiles = files => (files.length === 1 ? files[0].name : `${files.length} files`);

/**
 * Uploads files, rows of `name` and `file`, to a path of the server. Meanwhile, a message tells the `work`, such as
 * “Adding”. Returns the `response` of the server, or a message for the user if that is a `failure`.
 */
export async function upload(path, files, work) {
  const dismiss = toast(`${work} ${nameOfFiles(files)} …`, 'busy');
  const result = await post(path, files);
  dismiss();
  return result;
}

async function post(path, files) {
  const form = new FormData();
  for (const { name, file } of files) form.append('file', file, name);
  const url = new URL(path, location);
  url.searchParams.set('client', state.hello.client);
  try {
    const response = await fetch(url, { method: 'POST', body: form });
    if (response.ok) return { response };
    return { failure: (await response.text()) || `The server refused the upload (status ${response.status}).` };
  } catch {
    return { failure: 'The upload failed: the files are too large, or the connection was lost.' };
  }
}

/** Returns the chosen files of a field as rows of `name` and `file`, and empties the field. */
export function takeChosen(field) {
  const files = [...field.files].map(file => ({ name: file.name, file }));
  field.value = '';
  return files;
}
