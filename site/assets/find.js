// The search page: which places of the book (places.js) have what is asked
// for, the best first, each with the words around it.

const MOST_FOUND = 40;
const GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
  + " sigma sigma tau upsilon phi chi psi omega";
const SIGN_NAMES = {
  ...Object.fromEntries(GREEK.split(" ").map((name, i) => [String.fromCharCode(0x3b1 + i), name])),
  "√": " sqrt ", "∑": " sum ", "∏": " prod ", "∫": " int ", "∞": " infty ", "∂": " partial ",
  "∇": " nabla ", "⟨": " langle ", "⟩": " rangle ", "‖": " norm ",
};

/** Return text as words, each after a space: p² as p2, and signs by name. */
function foldText(text) {
  return text.replaceAll("Σ", "∑").normalize("NFKC").toLowerCase()
    .replace(/[^\x00-\x7f]/g, sign => SIGN_NAMES[sign] ?? sign)
    .replace(/(?<!\d)\.|\.(?!\d)|[^\p{Letter}\p{Number}._]+/gu, " ")
    .replace(/^ *| +/g, " ").trimEnd();
}

/** Return an expression for words, written together or apart: soft cap. */
function wordFinder(words) {
  const signs = Array.from(words.replaceAll(" ", ""), sign => sign.replace(".", "\\."));
  return new RegExp(` ${signs.join(" ?")}`, "gu");
}

/** Return what is asked for: all its words as one, and each, or null. */
function readQuestion(text) {
  const words = foldText(text).split(" ").filter(word => word)
    .map(word => word.length > 3 ? word.replace(/s$/, "") : word);  // one of many
  return words.length ? { whole: wordFinder(words.join(" ")), each: words.map(wordFinder) } : null;
}

/** Return how well a place, as folded name and text, answers; 0: not at all. */
function answers({ whole, each }, { name, text, rows, terms, chapter }) {
  const has = (part, where) => where.search(part) >= 0;
  const named = has(whole, name) ? 100 * (1 + name.match(whole)[0].length / name.length) : 0;
  const said = text.match(whole)?.length ?? 0;
  // A place that explains a word goes before those that use it, and those
  // before tables that list it.
  const explained = has(whole, terms) ? 50 : 0;
  if (named || said) return named + explained + Math.min(said, 9) + (chapter ? 30 : 20);
  if (has(whole, rows)) return 10;
  const all = each.every(part => [name, text, rows].some(where => has(part, where)));
  return all ? 1 + 2 * each.filter(part => has(part, name)).length : 0;
}

/** Return the words around what is asked for: [[word, whether it was], …]. */
function extractFrom({ whole, each }, text) {
  const words = text.split(" ");
  let end = 0;
  const ends = words.map(word => { end += foldText(word).length; return end; });
  const folded = foldText(text);
  const found = [whole, ...each].map(part => [...folded.matchAll(part)]).find(list => list.length) ?? [];
  const asked = words.map((_, i) => found.some(({ 0: { length }, index }) =>
    index < ends[i] && index + length > (ends[i - 1] ?? 0)));
  const from = Math.max(0, asked.indexOf(true) - 12);
  return words.map((word, i) => [word, asked[i]]).slice(from, from + 36);
}

/** Return the places that answer, the best first. */
function findPlaces(places, question) {
  return places.map(place => ({ place, score: answers(question, place.folded) }))
    .filter(({ score }) => score).sort((a, b) => b.score - a.score).map(({ place }) => place);
}

/** Return the places of all pages, with the name of the page. */
function placesOf(pages) {
  return pages.flatMap(([page, places]) => places.map(([id, name, text, rows, terms], i) => ({
    address: i ? `${page}#${id}` : page,
    name: i ? `${places[0][1]} › ${name}` : name,
    text: `${text} ${rows}`.trim(),
    folded: {
      name: foldText(name), text: foldText(text), rows: foldText(rows), terms: foldText(terms),
      chapter: page.startsWith("notebooks/"),
    },
  })));
}

if (globalThis.document) {
  document.addEventListener("DOMContentLoaded", () => {
    const make = (name, attributes, ...children) => {
      const element = Object.assign(document.createElement(name), attributes);
      element.append(...children);
      return element;
    };
    const places = placesOf(PAGES);
    const field = document.querySelector(".bd-search-container input");
    const results = document.getElementById("search-results");
    const status = make("p", { role: "status" });
    const list = make("ul", { className: "found-places" });
    results.append(status, list);
    const show = () => {
      const question = readQuestion(field.value);
      const found = question ? findPlaces(places, question) : [];
      const shown = found.slice(0, MOST_FOUND);
      status.textContent = !question ? "Words, names, numbers and signs: dead rows, LongRoPE, theorem 6.3, α_c."
        : !found.length ? "No place in the book has all of this."
          : `${found.length} ${found.length > 1 ? "places" : "place"}`
            + (found.length > shown.length ? `, of which the best ${shown.length}:` : ":");
      list.replaceChildren(...shown.map(({ address, name, text }) => make("li", {},
        make("a", { href: address }, name),
        make("p", {}, ...extractFrom(question, text).flatMap(([word, asked]) =>
          [asked ? make("mark", {}, word) : word, " "])))));
    };
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    show();
    field.addEventListener("input", () => {
      history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
      show();
    });
    field.form.addEventListener("submit", event => event.preventDefault());
  });
}
