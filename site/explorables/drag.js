// Sliders, and plots in which one sets a number: by a mouse, or by a finger
// that moves across or taps. A finger that scrolls the page sets nothing.

const STILL = 8;  // pixels that a finger may move in a tap

/** Tell whether a finger has moved, and more across than up or down. */
function movesAcross(event, start) {
  const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY].map(Math.abs);
  return x > STILL && x > y;
}

/** Call `take` when a slider is set, and `leave` after a finger scrolled. */
function slideAcross(input, take, leave) {
  let start = null;  // of a finger that may yet scroll
  let scrolls = false;
  input.addEventListener("pointerdown", event => {
    start = event.pointerType === "mouse" ? null : event;
  });
  input.addEventListener("pointermove", event => {
    if (start && movesAcross(event, start)) start = null;
  });
  input.addEventListener("pointerup", () => {
    start = null;
    take();
  });
  // The browser took the finger, to scroll, and may have set the slider.
  input.addEventListener("pointercancel", () => { scrolls = start !== null; });
  input.addEventListener("touchend", () => {
    if (scrolls) leave();
    start = null;
    scrolls = false;
  });
  input.addEventListener("input", () => { if (!start) take(); });
}

/** Call `set` with the place in a plot, in pixels from its left and top. */
function dragAcross(plot, set) {
  const { svg } = plot;
  let start = null;  // where the pointer came down, until it leaves
  let across = false;
  const at = event => {
    const box = svg.getBoundingClientRect();
    set(event.clientX - box.left, event.clientY - box.top);
  };
  svg.addEventListener("pointerdown", event => {
    start = event;
    across = event.pointerType === "mouse";
    if (across) at(event);
  });
  svg.addEventListener("pointermove", event => {
    if (!start || !event.buttons) return;
    across ||= movesAcross(event, start);
    if (across) at(event);
  });
  svg.addEventListener("pointerup", event => {
    if (start && !across
      && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) <= STILL) at(event);
    start = null;
  });
  // The browser took it, to scroll.
  svg.addEventListener("pointercancel", () => { start = null; });
}
