// What site/pdf.py asks of the bound page while it prints the book.

const PARTS = "div.math > .equation, .pst-scrollable-table-container, pre";

/** Make what is wider than the text smaller; return what is wider still. */
function fit(smallest) {
  for (const box of document.querySelectorAll(PARTS)) {
    const normal = parseFloat(getComputedStyle(box).fontSize);
    let size = 1;
    while (box.scrollWidth > box.clientWidth + 1 && size > smallest) {
      size -= 0.02;
      box.style.fontSize = `${size * normal}px`;
    }
  }
  const edge = document.body.getBoundingClientRect().right + 1;
  const all = document.querySelectorAll("body :not(math *, .tex)");
  return Array.from(all)
    .filter(part => part.getBoundingClientRect().right > edge
      || (part.matches(PARTS) && part.scrollWidth > part.clientWidth + 1))
    .map(part => `${part.tagName} ${part.textContent.trim().slice(0, 60)}`);
}

/** Write the numbers of the pages into the contents. */
function number(pages) {
  document.querySelectorAll(".book-contents a").forEach(
    (link, i) => { link.lastElementChild.textContent = pages[i]; });
}

/** Let short sections take the solution before them onto their page. */
function accompany(targets) {
  for (const target of targets) {
    const section = document.getElementById(target).closest("section");
    const before = section.previousElementSibling?.lastElementChild;
    if (section.getBoundingClientRect().height < 200 && before) {
      before.style.breakBefore = "page";
    }
  }
}
