// What is wider than the column scrolls in a box of its own. Here that box
// learns to take the keyboard's focus, but only while there is something to
// scroll, so that no reader tabs through all equations for nothing.
{
  const KINDS = {
    "div.math > .equation": "Wide equation",
    "article pre": "Wide code",
    ".pst-scrollable-table-container": "Wide table",
    ".cell_output > .output": "Wide output",
  };
  const mark = box => {
    const wide = box.scrollWidth > box.clientWidth + 1;
    const kind = Object.keys(KINDS).find(selector => box.matches(selector));
    for (const [name, value] of [
      ["tabindex", "0"], ["role", "group"],
      ["aria-label", `${KINDS[kind]}, scrolls sideways`],
    ]) {
      if (wide) box.setAttribute(name, value);
      else box.removeAttribute(name);
    }
  };
  const boxes = document.querySelectorAll(Object.keys(KINDS).join());
  // Called once for each box when it is first laid out, which for those far
  // below happens when they come near; to ask them here would lay out all.
  const sizes = new ResizeObserver(entries =>
    entries.forEach(entry => mark(entry.target)));
  const watch = () => boxes.forEach(box => {
    sizes.unobserve(box);
    sizes.observe(box);
  });
  watch();
  document.fonts.ready.then(watch);
}
