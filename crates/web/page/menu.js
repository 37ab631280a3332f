// Menus that a button opens.

/** Connects a button with its menu, whose children are the items, and headings between them. */
export function connectMenu(button, menu) {
  const show = shown => {
    menu.hidden = !shown;
    button.setAttribute('aria-expanded', String(shown));
    if (!shown) return;
    const { left } = button.getBoundingClientRect();
    // Below all rows of the header
    const { bottom } = button.closest('header').getBoundingClientRect();
    menu.style.left = `${Math.max(4, Math.min(left, innerWidth - menu.offsetWidth - 4))}px`;
    menu.style.top = `${bottom + 4}px`;
    menu.querySelector('[role="menuitem"]')?.focus();
  };
  button.onclick = () => show(menu.hidden);
  document.addEventListener('click', event => {
    if (!menu.hidden && !button.contains(event.target)) show(false);
  });
  // Detail 0 is a click by key. The item that has the focus is hidden, so the button gets it; a dialog returns it there, too
  menu.addEventListener('click', event => event.detail === 0 && button.focus(), { capture: true });
  menu.addEventListener('focusout', ({ relatedTarget: next }) => {
    if (next !== null && !menu.contains(next) && !button.contains(next)) show(false);
  });
  menu.addEventListener('keydown', event => {
    const items = [...menu.children].filter(item => !item.hidden && item.getAttribute('role') === 'menuitem');
    const at = items.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      // Nothing else is closed or deselected
      event.stopPropagation();
      show(false);
      button.focus();
    }
    if (event.key === 'ArrowDown') items[(at + 1) % items.length].focus();
    if (event.key === 'ArrowUp') items[(at + items.length - 1) % items.length].focus();
    if (event.key.startsWith('Arrow')) event.preventDefault();
  });
}
