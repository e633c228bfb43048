// The style sheet leaves the layout of far blocks for later (book.css). Here
// later comes: a few at a time while the computer has nothing else to do, so
// that the page soon has its true height and nothing moves when it is scrolled.
{
  const AT_A_TIME = 40;
  const whenIdle = globalThis.requestIdleCallback ?? (step => setTimeout(step, 50));
  const blocks = document.querySelectorAll(".bd-article section > *");
  let next = 0;
  const step = () => {
    for (const end = next + AT_A_TIME; next < Math.min(end, blocks.length); next++) {
      blocks[next].style.contentVisibility = "visible";
    }
    // Not before this layout has been painted.
    if (next < blocks.length) requestAnimationFrame(() => whenIdle(step));
    else document.documentElement.dataset.laid = "";
  };
  whenIdle(step);
}
