// What site/pdf.py asks of the bound page while it prints the book.

const PARTS = "div.math > .equation, .pst-scrollable-table-container, pre";
const SIGNS = [..."=<>≤≥≈+−"];

/** Make what is wider than the text smaller, or break it where that is not
 *  enough; return what is wider still. */
function fit(smallest) {
  for (const box of document.querySelectorAll(PARTS)) {
    const normal = parseFloat(getComputedStyle(box).fontSize);
    const shrink = () => {
      let size = 1;
      while (box.scrollWidth > box.clientWidth + 1 && size > smallest) {
        size -= 0.02;
        box.style.fontSize = `${size * normal}px`;
      }
      return size > smallest;
    };
    if (!shrink()) {
      box.style.fontSize = "";
      box.querySelectorAll("math").forEach(breakUp);
      shrink();
    }
  }
  const edge = document.body.getBoundingClientRect().right + 1;
  const all = document.querySelectorAll("body :not(math *, .tex)");
  return Array.from(all)
    .filter(part => part.getBoundingClientRect().right > edge
      || (part.matches(PARTS) && part.scrollWidth > part.clientWidth + 1))
    .map(part => `${part.tagName} ${part.textContent.trim().slice(0, 60)}`);
}

/** Let an equation break after its operators, as one in the text does. */
function breakUp(math) {
  math.style.cssText = "display: inline math; width: auto";
  for (const part of [...math.children].reverse()) {
    const sign = part.matches("mo:not([form='prefix'])") && part.textContent;
    if (!part.nextSibling || !SIGNS.includes(sign)) continue;
    const rest = math.cloneNode();
    while (part.nextSibling) rest.append(part.nextSibling);
    part.setAttribute("form", "infix");
    math.after("\u200b", rest);
  }
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
