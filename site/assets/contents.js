// The list of contents beside the text marks what is being read, and keeps the
// mark in sight. (The theme's own waits until a heading passes: who comes to
// the middle of a page by a link sees no mark.)
{
  const sidebar = document.querySelector(".bd-sidebar-secondary");
  const links = [...document.querySelectorAll("#pst-page-toc-nav a")];
  const places = links.map(link => document.getElementById(link.hash.slice(1)));
  let marked;
  let waits = false;
  const mark = () => {
    waits = false;
    const read = places.findLastIndex(place => place.getBoundingClientRect().top < 0.3 * innerHeight);
    if (links[read] === marked) return;
    marked?.removeAttribute("aria-current");
    marked = links[read];
    marked?.setAttribute("aria-current", "true");
    if (!marked) return;
    const { top, bottom } = marked.getBoundingClientRect();
    const frame = sidebar.getBoundingClientRect();
    if (top < frame.top || bottom > frame.bottom) {
      sidebar.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
    }
  };
  const wait = () => {
    waits ||= Boolean(requestAnimationFrame(mark));
  };
  if (links.length) {
    addEventListener("scroll", wait, { passive: true });
    // On a phone the list is a dialog, which opens where one reads.
    document.querySelector(".secondary-toggle")?.addEventListener("click", () =>
      requestAnimationFrame(() => marked?.focus()));
    wait();
  }
}
