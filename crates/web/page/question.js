// Questions in a dialog.

import { element } from './controls.js';
import { onDocument } from './state.js';

// The answer would be about another scene than the question
onDocument(() => document.querySelectorAll('dialog.question').forEach(dialog => dialog.close()));

/**
 * Asks a question and returns the value of the chosen answer.
 *
 * * `answers` — pairs of value and text; the first one is the default.
 * * `closed` — answer if the dialog is closed.
 */
export function ask(title, text, answers, closed = answers.at(-1)[0]) {
  const buttons = answers.map(([value, textContent], i) =>
    element('button', { value, textContent, className: i === 0 ? 'primary' : '', autofocus: i === 0 }));
  const heading = element('h2', { id: 'question-title', textContent: title });
  const form = element('form', { method: 'dialog', className: 'answers' }, ...buttons);
  const dialog = element('dialog', { className: 'question' }, heading, element('p', { textContent: text }), form);
  dialog.setAttribute('aria-labelledby', heading.id);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise(answered => {
    dialog.onclose = () => {
      dialog.remove();
      answered(dialog.returnValue || closed);
    };
  });
}
