// Menus that a button opens.

/** Connects a button with its menu, whose children are the items. */
export function connectMenu(button, menu) {
  const show = shown => {
    menu.hidden = !shown;
    button.setAttribute('aria-expanded', String(shown));
    if (!shown) return;
    const { left, bottom } = button.getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(left, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${bottom + 4}px`;
    menu.firstElementChild?.focus();
  };
  button.onclick = () => show(menu.hidden);
  document.addEventListener('click', event => {
    if (!menu.hidden && !button.contains(event.target)) show(false);
  });
  menu.addEventListener('keydown', event => {
    const items = [...menu.children];
    const at = items.indexOf(document.activeElement);
    if (event.key === 'Escape') show(false), button.focus();
    if (event.key === 'ArrowDown') items[(at + 1) % items.length].focus();
    if (event.key === 'ArrowUp') items[(at + items.length - 1) % items.length].focus();
    if (event.key.startsWith('Arrow')) event.preventDefault();
  });
}
