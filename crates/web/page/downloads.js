// Downloads of the menu for saving. Writing a large scene takes long: until a file is there, a message says so, and another
// click does not ask for it again.

import { atWork } from './at-work.js';
import { element, toast } from './controls.js';

/** Time for which the browser may read a file that was downloaded, in milliseconds. */
const KEEP_MS = 60_000;
/** Paths that are being downloaded. */
const running = new Set();

export function start() {
  document.getElementById('save-menu').addEventListener('click', event => {
    const link = event.target.closest('a[download]');
    if (!link) return;
    event.preventDefault();
    if (running.has(link.href)) return;
    running.add(link.href);
    const end = () => running.delete(link.href);
    const work = download(link.href);
    atWork(`Preparing “${link.textContent}” …`, work);
    work.then(end, end);
  });
}

async function download(address) {
  try {
    const response = await fetch(address);
    if (!response.ok) return toast(await response.text(), 'error');
    const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '');
    const url = URL.createObjectURL(await response.blob());
    element('a', { href: url, download: named?.[1] ?? 'sunfleck' }).click();
    setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
  } catch {
    toast('The download failed: the connection to the server was lost.', 'error');
  }
}
