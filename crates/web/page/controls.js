// Small parts that panels are made of. Each field has a label, and says what it holds.

let ids = 0;

export function element(tag, properties = {}, ...children) {
  const { dataset, ...rest } = properties;
  const made = Object.assign(document.createElement(tag), rest);
  Object.assign(made.dataset, dataset);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

function row(name, field, hint) {
  ids += 1;
  const target = field.matches('input, select') ? field : field.querySelector('input, select');
  if (!target) return element('div', { className: 'row', title: hint ?? '' }, element('span', { textContent: name }), field);
  target.id ||= `field-${ids}`;
  return element('div', { className: 'row', title: hint ?? '' }, element('label', { textContent: name, htmlFor: target.id }), field);
}

export const fact = (name, value) => row(name, element('span', { className: 'value', textContent: value, title: value }));

export const button = (text, onclick, title = '') => element('button', { textContent: text, onclick, title, type: 'button' });

export const buttons = (...all) => element('div', { className: 'buttons' }, ...all);

export const hint = text => element('p', { className: 'hint', textContent: text });

/** Short, without noise of floats. */
const short = (x, digits = 4) => String(Number(Number(x).toPrecision(digits)));

/** `changed(value, dragId)`: values of one drag have the same number. `span`: what is slid over, if not all that can be typed. */
export function slider(name, value, { least = 0, most = 1, span = [least, most], step = 'any', integer = false, log = false, unit = '', title, drag }, changed) {
  // Wide ranges are slid over by their logarithm
  const to = x => (log ? Math.log(Math.max(x, 0) + 1e-3) : x);
  const from = x => (log ? Math.max(0, Math.exp(x) - 1e-3) : x);
  const round = x => (integer ? Math.round(x) : Number(Number(x).toPrecision(4)));
  const range = element('input', { type: 'range', min: to(span[0]), max: to(span[1]), step: integer && !log ? 1 : 'any', value: to(value) });
  range.setAttribute('aria-label', name);
  const number = element('input', { type: 'number', min: least, max: most, step: integer ? 1 : step, value: short(value) });
  number.setAttribute('aria-label', `${name}, number`);
  let number_of_drag = null;
  const apply = (x, id) => {
    const clean = Math.max(least, Math.min(most, round(x)));
    if (Number.isFinite(clean)) changed(clean, id);
    return clean;
  };
  range.addEventListener('input', () => {
    number_of_drag ??= drag?.() ?? null;
    number.value = short(apply(from(Number(range.value)), number_of_drag));
  });
  range.addEventListener('change', () => (number_of_drag = null));
  number.addEventListener('change', () => {
    const clean = apply(Number(number.value), null);
    [number.value, range.value] = [short(clean), to(clean)];
  });
  return row(unit ? `${name}, ${unit}` : name, element('div', { className: 'slide' }, range, number), title);
}

export function triple(name, values, changed, { step = 'any' } = {}) {
  const fields = values.map((value, i) => {
    const field = element('input', { type: 'number', value: short(value), step });
    field.setAttribute('aria-label', `${name} ${'xyz'[i]}`);
    field.addEventListener('change', () => {
      // What is shown is rounded: the others stay as exact as they are
      const numbers = values.map((value, axis) => (axis === i ? Number(field.value) : value));
      if (field.value !== '' && numbers.every(Number.isFinite)) changed(numbers);
    });
    return field;
  });
  return row(name, element('div', { className: 'triple' }, ...fields));
}

export function color(name, hex, changed, drag, title) {
  const field = element('input', { type: 'color', value: hex });
  let number = null;
  field.addEventListener('input', () => changed(field.value, (number ??= drag?.() ?? null)));
  field.addEventListener('change', () => (number = null));
  return row(name, field, title);
}

export function choice(name, options, value, changed, title) {
  const all = options.map(option => (Array.isArray(option) ? option : [option, option]));
  const field = element('select', {}, ...all.map(([value, text]) => element('option', { value, textContent: text })));
  field.value = value;
  field.addEventListener('change', () => changed(field.value));
  return row(name, field, title);
}

export function text(name, value, changed) {
  const field = element('input', { type: 'text', value });
  field.addEventListener('change', () => changed(field.value));
  return row(name, field);
}

export function check(name, value, changed, title) {
  const field = element('input', { type: 'checkbox', checked: value });
  field.addEventListener('change', () => changed(field.checked));
  return row(name, field, title);
}

/** Replaces what a panel shows, unless somebody is in the middle of changing it; the field with the focus keeps it. */
export function fill(panel, ...children) {
  const at = document.activeElement;
  if (panel.contains(at) && (at.matches('input[type="range"]:active, input[type="color"]') )) return;
  const fields = [...panel.querySelectorAll('input, select, button')];
  const index = panel.contains(at) ? fields.indexOf(at) : -1;
  panel.replaceChildren(...children.filter(child => child !== null));
  if (index >= 0) panel.querySelectorAll('input, select, button')[index]?.focus({ preventScroll: true });
}

/** A message that goes by itself; errors stay longer. */
export function toast(message, kind = 'note') {
  const holder = document.getElementById('toasts');
  const same = [...holder.children].find(other => other.querySelector('span').textContent === message);
  same?.remove();
  const close = button('×', () => box.remove(), 'Close');
  close.setAttribute('aria-label', 'Close this message');
  const box = element('div', { className: `toast ${kind}` }, element('span', { textContent: message }), close);
  if (kind === 'error') box.setAttribute('role', 'alert');
  holder.append(box);
  while (holder.children.length > 4) holder.firstChild.remove();
  setTimeout(() => box.remove(), kind === 'error' ? 12000 : 5000);
}
