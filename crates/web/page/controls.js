// Fields, buttons and messages of the panels. Each field has a label.

let ids = 0;

/** Creates an element with properties and children. */
export function element(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const created = Object.assign(document.createElement(tag), rest);
  Object.assign(created.dataset, dataset);
  created.append(...children.filter(child => child !== null && child !== undefined));
  return created;
}

/** Creates a row with a label and a field; `hint` is its tooltip. */
function row(name, field, hint) {
  ids += 1;
  const target = field.matches('input, select') ? field : field.querySelector('input, select');
  if (!target) return element('div', { className: 'row', title: hint ?? '' }, element('span', { textContent: name }), field);
  target.id ||= `field-${ids}`;
  return element('div', { className: 'row', title: hint ?? '' }, element('label', { textContent: name, htmlFor: target.id }), field);
}

export const fact = (name, value, title = value) => row(name, element('span', { className: 'value', textContent: value, title }));

/** A row whose value is a link to something else. */
export const link = (name, value, onclick, title) => row(name, element('button', { type: 'button', className: 'link', textContent: value, title, onclick }));

export const button = (text, onclick, title = '') => element('button', { textContent: text, onclick, title, type: 'button' });

export const buttons = (...all) => element('div', { className: 'buttons' }, ...all);

export const hint = text => element('p', { className: 'hint', textContent: text });

/** Time after which a panel shows what has changed while one of its fields was in use, in milliseconds. */
const REFILL_AFTER = 200;
/** Field that is in use: with text that is not committed yet, or with a colour picker that may be open. */
let inUse = null;
/** Content of panels that wait until none of their fields is in use. */
const waiting = new Map();

/** Whether a field has text that is not committed yet. */
export const isBeingTyped = field => field === inUse;

const isColor = field => Boolean(field?.matches?.('input[type="color"]'));

addEventListener('input', ({ target }) => {
  if (target.matches('input:not([type="range"], [type="checkbox"])')) inUse = target;
}, { capture: true });
addEventListener('click', ({ target }) => {
  if (isColor(target)) inUse = target;
}, { capture: true });
// No event tells that a colour picker was closed without a choice, but keys and the pointer reach the page only then
for (const type of ['keydown', 'pointerdown']) addEventListener(type, () => isColor(inUse) && leave(inUse), { capture: true });
for (const type of ['change', 'focusout', 'pointerup']) addEventListener(type, ({ target }) => leave(target));

/** Ends the use of a field. Panels are filled later, so that they show the server's answer to its change. */
function leave(field) {
  if (field === inUse) inUse = null;
  if (waiting.size > 0) setTimeout(fillWaiting, REFILL_AFTER);
}

function fillWaiting() {
  const panels = [...waiting];
  waiting.clear();
  for (const [panel, children] of panels) fill(panel, ...children);
}

/** Values that text and number fields had before the text that is not committed. */
const committed = new WeakMap();

/** Leaves a field without a change of its value. */
function abandon(field) {
  if (committed.has(field)) field.value = committed.get(field);
  field.blur();
}

/** Lets Escape restore the value of a field and leave it, without a change. */
function restoresOnEscape(field) {
  const keep = () => committed.set(field, field.value);
  keep();
  field.addEventListener('focus', keep);
  // Once the field shows what a change has become: a number that is not taken is replaced
  field.addEventListener('change', () => setTimeout(keep));
  field.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return;
    // Nothing else is closed or deselected
    event.preventDefault();
    abandon(field);
  });
  return field;
}

/** Formats a number with few significant digits. */
const short = (x, digits = 4) => String(Number(Number(x).toPrecision(digits)));

/**
 * A slider with a number field.
 *
 * * `changed(value, dragId)` — called with each new value; those of one drag have the same id.
 * * `span` — range of the slider, if it is smaller than that of the field.
 */
export function slider(name, value, { least = 0, most = 1, span = [least, most], step = 'any', integer = false, log = false, unit = '', title, drag }, changed) {
  // Wide ranges have a logarithmic slider
  const positionOf = x => (log ? Math.log(Math.max(x, 0) + 1e-3) : x);
  const valueAt = x => (log ? Math.max(0, Math.exp(x) - 1e-3) : x);
  const round = x => (integer ? Math.round(x) : Number(Number(x).toPrecision(4)));
  const range = element('input', { type: 'range', min: positionOf(span[0]), max: positionOf(span[1]), step: integer && !log ? 1 : 'any', value: positionOf(value) });
  range.setAttribute('aria-label', name);
  const number = element('input', { type: 'number', min: least, max: most, step: integer ? 1 : step, value: short(value) });
  restoresOnEscape(number);
  number.setAttribute('aria-label', `${name}, number${unit ? `, ${unit}` : ''}`);
  let dragId = null;
  let shown = value;
  const apply = (x, id) => {
    shown = Math.max(least, Math.min(most, round(x)));
    changed(shown, id);
    number.value = short(shown);
  };
  range.addEventListener('input', () => {
    dragId ??= drag?.() ?? null;
    apply(valueAt(Number(range.value)), dragId);
  });
  // A drag that the browser cancels ends without a change
  for (const type of ['change', 'pointercancel']) range.addEventListener(type, () => (dragId = null));
  number.addEventListener('change', () => {
    // An empty field, or text that is no number, has an empty value
    if (number.value === '') number.value = short(shown);
    else apply(Number(number.value), null);
    range.value = positionOf(shown);
  });
  const measured = element('span', { className: unit.length > 6 ? 'measured wide' : 'measured' }, number, unit ? element('span', { className: 'unit', textContent: unit }) : null);
  return row(name, element('div', { className: 'slide' }, range, measured), title);
}

/**
 * Three number fields of a vector.
 *
 * * `now()` — returns the newest value. The fields show rounded numbers, perhaps of an older one.
 * * `isValid(number)` — whether a number may be one of the three.
 */
export function vectorField(name, now, changed, isValid = Number.isFinite) {
  const fields = now().map((value, i) => {
    const field = restoresOnEscape(element('input', { type: 'number', value: short(value), step: 'any', title: String(value) }));
    field.setAttribute('aria-label', `${name} ${'xyz'[i]}`);
    field.addEventListener('change', () => {
      if (field.value !== '' && isValid(Number(field.value))) changed(now().with(i, Number(field.value)));
      else field.value = short(now()[i]);
    });
    return field;
  });
  return row(name, element('div', { className: 'triple' }, ...fields));
}

/** A colour field; `changed(hex, dragId)`. */
export function color(name, hex, changed, drag, title) {
  const field = element('input', { type: 'color', value: hex });
  let dragId = null;
  field.addEventListener('input', () => changed(field.value, (dragId ??= drag?.() ?? null)));
  field.addEventListener('change', () => (dragId = null));
  return row(name, field, title);
}

/** A menu; options are values, or pairs of value and text. */
export function choice(name, options, value, changed, title) {
  const all = options.map(option => (Array.isArray(option) ? option : [option, option]));
  const field = element('select', {}, ...all.map(([value, text]) => element('option', { value, textContent: text })));
  field.value = value;
  field.addEventListener('change', () => changed(field.value));
  return row(name, field, title);
}

export function text(name, value, changed) {
  const field = restoresOnEscape(element('input', { type: 'text', value }));
  field.addEventListener('change', () => changed(field.value));
  return row(name, field);
}

export function checkbox(name, value, changed, title) {
  const field = element('input', { type: 'checkbox', checked: value });
  field.addEventListener('change', () => changed(field.checked));
  return row(name, field, title);
}

/** Replaces the content of a panel, once none of its fields is in use; the focus stays on the same field. */
export function fill(panel, ...children) {
  const focused = document.activeElement;
  // A control that the pointer presses stays until it is released, or the click would be lost
  if (panel.matches(':active') || (panel.contains(focused) && focused === inUse)) {
    waiting.set(panel, children);
    return;
  }
  waiting.delete(panel);
  const fields = [...panel.querySelectorAll('input, select, button')];
  const index = panel.contains(focused) ? fields.indexOf(focused) : -1;
  panel.replaceChildren(...children.filter(child => child !== null));
  if (index >= 0) panel.querySelectorAll('input, select, button')[index]?.focus({ preventScroll: true });
}

/** Empties a panel at once, also if a field is in use: what is typed there changes nothing. */
export function empty(panel) {
  if (panel.contains(document.activeElement)) abandon(document.activeElement);
  waiting.delete(panel);
  panel.replaceChildren();
}

/** Number of messages above which notes and errors are removed; problems and work stay. */
const MAX_TOASTS = 4;

/**
 * Shows a message for a few seconds; errors stay longer, problems and work (`busy`) until they are dismissed. Returns a
 * function that dismisses it.
 */
export function toast(message, kind = 'note', ...more) {
  const holder = document.getElementById('toasts');
  const same = [...holder.children].find(other => other.querySelector('span').textContent === message);
  same?.remove();
  const close = button('×', () => box.remove(), 'Close');
  close.setAttribute('aria-label', 'Close this message');
  const isError = kind === 'error' || kind === 'problem';
  const box = element('div', { className: `toast ${isError ? 'error' : kind}`, dataset: { kind } }, element('span', { textContent: message }), ...more, close);
  if (isError) box.setAttribute('role', 'alert');
  // Notes before errors, and the oldest first
  const [earlier, excess] = [[...holder.children], holder.children.length + 1 - MAX_TOASTS];
  const removable = ['note', 'error'].flatMap(kind => earlier.filter(({ dataset }) => dataset.kind === kind));
  removable.slice(0, Math.max(0, excess)).forEach(other => other.remove());
  holder.append(box);
  if (kind !== 'problem' && kind !== 'busy') setTimeout(() => box.remove(), isError ? 12000 : 5000);
  return () => box.remove();
}
