// Movement of lines after a change: each line starts where it was and goes to where it is now.

const time = 280;
const easing = "cubic-bezier(0.2, 0.8, 0.2, 1)";
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether lines may move on the screen now. */
export function mayMove() {
  return !stillness.matches && !document.hidden;
}

/** Where elements are on the screen, movements that have not ended included. */
export function placesOf(elements) {
  return new Map([...elements].map((element) => [element, element.getBoundingClientRect().top]));
}

/** Moves elements from the places of before to those of now. */
export function moveFrom(places) {
  const ways = [];
  for (const [element, before] of places) {
    if (!element.isConnected) continue;
    for (const animation of element.getAnimations()) {
      if (animation.id === "move") animation.cancel();
    }
    const way = before - element.getBoundingClientRect().top;
    if (Math.abs(way) >= 1) ways.push([element, way]);
  }
  for (const [element, way] of ways) {
    const frames = [{ transform: `translateY(${way}px)` }, { transform: "none" }];
    element.animate(frames, { duration: time, easing }).id = "move";
  }
}

export function appear(element) {
  const frames = [{ opacity: 0, transform: "translateY(-40%)" }, { opacity: 1, transform: "none" }];
  element.animate(frames, { duration: time, easing });
}

/** Fades an element out, then removes it. */
export function leave(element) {
  element.classList.add("leaving");
  const frames = [{ opacity: 1 }, { opacity: 0, transform: "translateX(12px)" }];
  element.animate(frames, { duration: time, easing, fill: "forwards" }).finished
    .catch(() => {})
    .then(() => element.remove());
}

/** Marks elements as inserted, updated or moved until their marks have faded. */
export function mark(marks) {
  for (const [element] of marks) element.classList.remove("inserted", "updated", "moved");
  // Once for all: it restarts the animations of marks that have not faded yet.
  void document.body.offsetWidth;
  for (const [element, kind] of marks) element.classList.add(kind);
}

/** Removes the marks of the elements in `root` once they have faded. */
export function clearMarks(root) {
  root.addEventListener("animationend", ({ target, animationName }) => {
    if (animationName.startsWith("mark-")) target.classList.remove("inserted", "updated", "moved");
  });
}
