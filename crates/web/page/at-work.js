// Work for which the user waits: a message, and a sign at the button of the menu for saving.

import { toast } from './controls.js';

let running = 0;

/** Shows a message until a promise is settled. */
export function atWork(message, promise) {
  const button = document.getElementById('save');
  const done = toast(message, 'busy');
  running += 1;
  button.setAttribute('aria-busy', 'true');
  const end = () => {
    done();
    running -= 1;
    if (running === 0) button.removeAttribute('aria-busy');
  };
  promise.then(end, end);
}
