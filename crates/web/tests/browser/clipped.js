// Returns descriptions of what a user cannot read or reach: clipped text, elements outside of the window or of the
// panel that holds them, and controls that overlap.
(() => {
  const isShown = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const describe = element => {
    const text = (element.textContent || element.value || '').trim().slice(0, 40);
    return `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ''} “${text}”`;
  };
  const style = element => getComputedStyle(element);
  const hasText = element => [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
  const scrolls = element => ['auto', 'scroll'].includes(style(element).overflowY);
  /** The element in which an element scrolls, or null. */
  const holderOf = element => {
    let holder = element.parentElement;
    while (holder && !scrolls(holder)) holder = holder.parentElement;
    return holder;
  };
  const isVisibleBox = ({ width, height }) => width > 0 && height > 0;
  const found = [];

  for (const element of document.querySelectorAll('body *')) {
    const box = element.getBoundingClientRect();
    if (!isShown(element) || !isVisibleBox(box) || element.closest('svg, option, .skip')) continue;
    // Names that users choose may be long: they end in an ellipsis and have a tooltip
    const isName = style(element).textOverflow === 'ellipsis' && element.title !== '';
    if ((hasText(element) || element.matches('button, input[type="number"]')) && !isName) {
      if (element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1) found.push(`clipped: ${describe(element)}`);
      if (element.clientHeight > 0 && element.scrollHeight > element.clientHeight + 3 && !scrolls(element)) found.push(`cut: ${describe(element)}`);
    }
    if (element.matches('input[type="range"]') && box.width < 40) found.push(`narrow: ${describe(element)}`);
    const holder = holderOf(element);
    const limits = holder ? holder.getBoundingClientRect() : { left: 0, right: innerWidth };
    if (box.left < limits.left - 1 || box.right > limits.right + 1) found.push(`outside: ${describe(element)}`);
    if (!holder && (box.top < -1 || box.bottom > innerHeight + 1)) found.push(`outside: ${describe(element)}`);
  }

  // The selected options of menus
  const context = document.createElement('canvas').getContext('2d');
  for (const menu of document.querySelectorAll('select')) {
    if (!isShown(menu) || menu.selectedIndex < 0 || menu.title !== '') continue;
    context.font = style(menu).font;
    const arrow = 26;
    if (context.measureText(menu.selectedOptions[0].textContent).width > menu.clientWidth - arrow) found.push(`clipped: ${describe(menu)}`);
  }

  const isOnTop = element => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return at !== null && (element.contains(at) || (at.closest('label')?.contains(element) ?? false));
  };
  const controls = [...document.querySelectorAll('button, select, input')].filter(element => isShown(element) && isOnTop(element));
  const boxes = controls.map(element => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const limits = holderOf(element)?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    return { left, top: Math.max(top, limits.top), right, bottom: Math.min(bottom, limits.bottom) };
  });
  controls.forEach((a, i) => controls.slice(i + 1).forEach((b, j) => {
    const [p, q] = [boxes[i], boxes[i + 1 + j]];
    const [width, height] = [Math.min(p.right, q.right) - Math.max(p.left, q.left), Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top)];
    if (width > 1 && height > 1 && !a.contains(b) && !b.contains(a)) found.push(`overlap: ${describe(a)} and ${describe(b)}`);
  }));
  return found;
})()
