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
  number.setAttribute('aria-label', `${name}, number${unit ? `, ${unit}` : ''}`);
  let dragId = null;
  const apply = (x, id) => {
    const clean = Math.max(least, Math.min(most, round(x)));
    if (Number.isFinite(clean)) changed(clean, id);
    return clean;
  };
  range.addEventListener('input', () => {
    dragId ??= drag?.() ?? null;
    number.value = short(apply(valueAt(Number(range.value)), dragId));
  });
  range.addEventListener('change', () => (dragId = null));
  number.addEventListener('change', () => {
    const clean = apply(Number(number.value), null);
    [number.value, range.value] = [short(clean), positionOf(clean)];
  });
  const measured = element('span', { className: unit.length > 6 ? 'measured wide' : 'measured' }, number, unit ? element('span', { className: 'unit', textContent: unit }) : null);
  return row(name, element('div', { className: 'slide' }, range, measured), title);
}

/** Three number fields of a vector. */
export function vectorField(name, values, changed, { step = 'any' } = {}) {
  const fields = values.map((value, i) => {
    const field = element('input', { type: 'number', value: short(value), step });
    field.setAttribute('aria-label', `${name} ${'xyz'[i]}`);
    field.addEventListener('change', () => {
      // The fields show rounded values: keep the exact ones of the other axes
      const numbers = values.map((value, axis) => (axis === i ? Number(field.value) : value));
      if (field.value !== '' && numbers.every(Number.isFinite)) changed(numbers);
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

/** A text field. */
export function text(name, value, changed) {
  const field = element('input', { type: 'text', value });
  field.addEventListener('change', () => changed(field.value));
  return row(name, field);
}

/** A checkbox. */
export function checkbox(name, value, changed, title) {
  const field = element('input', { type: 'checkbox', checked: value });
  field.addEventListener('change', () => changed(field.checked));
  return row(name, field, title);
}

/** Replaces the content of a panel, unless a slider or colour field is in use; the focus stays on the same field. */
export function fill(panel, ...children) {
  const focused = document.activeElement;
  if (panel.contains(focused) && (focused.matches('input[type="range"]:active, input[type="color"]') )) return;
  const fields = [...panel.querySelectorAll('input, select, button')];
  const index = panel.contains(focused) ? fields.indexOf(focused) : -1;
  panel.replaceChildren(...children.filter(child => child !== null));
  if (index >= 0) panel.querySelectorAll('input, select, button')[index]?.focus({ preventScroll: true });
}

/** Number of messages above which others than problems and work are removed. */
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
  // The oldest notes first
  const [earlier, excess] = [[...holder.children], holder.children.length + 1 - MAX_TOASTS];
  const removable = ['note', 'error'].flatMap(kind => earlier.filter(({ dataset }) => dataset.kind === kind));
  removable.slice(0, Math.max(0, excess)).forEach(other => other.remove());
  holder.append(box);
  if (kind !== 'problem' && kind !== 'busy') setTimeout(() => box.remove(), isError ? 12000 : 5000);
  return () => box.remove();
}
