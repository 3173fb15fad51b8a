// The keyboard: what each key does in the grid and on the page.

/**
 * Moves the focus in a grid by arrows, pages and ends; Enter shows the row. The grid has the keys
 * as long as no control of the page has them.
 */
export function handleGridKeys(grid, onOpen) {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || !grid.hasKeys || !grid.window) return;
    const { line, column } = grid.cursor;
    const page = Math.max(1, Math.floor(grid.place.viewHeight / grid.place.lineHeight) - 2);
    const actions = {
      ArrowDown: () => grid.moveCursor(line + 1),
      ArrowUp: () => grid.moveCursor(line - 1),
      ArrowRight: () => grid.moveCursor(line, column + 1),
      ArrowLeft: () => grid.moveCursor(line, column - 1),
      PageDown: () => grid.moveCursor(line + page),
      PageUp: () => grid.moveCursor(line - page),
      Home: () => grid.moveCursor(0),
      End: () => grid.moveCursor(grid.place.lines - 1),
      Enter: onOpen,
      " ": onOpen,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    grid.root.focus({ preventScroll: true });
    action();
  });
}

/**
 * `/` goes to the filter. Escape leaves one thing: what is open on top. `layers` are functions that close something and
 * return whether it was open, the topmost first.
 */
export function handlePageKeys(onFilter, layers) {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, select, textarea") !== null;
    const isText = event.target.matches("[type=search], [type=text], textarea") && event.target.value !== "";
    // The browser closes a popover and empties a field itself.
    const isNative = document.querySelector(":popover-open") !== null || isText;
    if (event.key === "Escape" && !isNative) layers.some((close) => close());
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onFilter();
  });
}

/** Has the link to the rows lead there, but not by the address: that would be a step of the history. */
export function handleSkip(grid) {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    grid.root.focus();
  });
}
