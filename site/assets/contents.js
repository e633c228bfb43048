// The list of contents beside the text marks what is being read, and keeps the
// mark in sight. (The theme's own waits until a heading passes: who comes to
// the middle of a page by a link sees no mark.)
{
  const sidebar = document.querySelector(".bd-sidebar-secondary");
  const nav = document.getElementById("pst-page-toc-nav");
  const links = [...nav?.querySelectorAll("a") ?? []];
  nav?.removeAttribute("id");  // by which the theme's own finds it
  const places = links.map(link => document.getElementById(link.hash.slice(1)));
  let marked;
  let waits = false;
  const mark = () => {
    waits = false;
    const read = places.findLastIndex(place => place?.getBoundingClientRect().top < 0.3 * innerHeight);
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
// The list of chapters shows where one is, after the theme has moved it to where
// it was on the page before.
requestAnimationFrame(() => {
  const list = document.querySelector(".bd-sidebar-primary");
  const here = list?.querySelector(".current.active > a") ?? list?.querySelector(".current > a");
  if (!here) return;
  const { top, bottom } = here.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top + 80 || bottom > frame.bottom) {
    list.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
  }
});
