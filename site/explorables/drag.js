// A plot in which one sets a number: by a mouse, or by a finger that moves
// across or taps. A finger that scrolls the page sets nothing.

const STILL = 8;  // pixels that a finger may move in a tap

/** Call `set` with the place in a plot, in pixels from its left edge. */
function dragAcross(plot, set) {
  const { svg } = plot;
  let start = null;  // where the pointer came down, until it leaves
  let across = false;
  const at = event => set(event.clientX - svg.getBoundingClientRect().left);
  svg.addEventListener("pointerdown", event => {
    start = event;
    across = event.pointerType === "mouse";
    if (across) at(event);
  });
  svg.addEventListener("pointermove", event => {
    if (!start || !event.buttons) return;
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY].map(Math.abs);
    across ||= x > STILL && x > y;
    if (across) at(event);
  });
  svg.addEventListener("pointerup", event => {
    const [x, y] = start ? [event.clientX - start.clientX, event.clientY - start.clientY] : [Infinity, 0];
    if (!across && Math.hypot(x, y) <= STILL) at(event);
    start = null;
  });
  // The browser took it, to scroll.
  svg.addEventListener("pointercancel", () => { start = null; });
}
