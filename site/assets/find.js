// The search: which places of the book (places.js) have what is asked for, the
// best first, each with the words around it. On the page of the search, and in
// the box that other pages open (search-key.js).

const MOST_FOUND = 40;
const MOST_IN_BOX = 8;
const ENOUGH = 4;  // places, where no others are shown
const GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
  + " sigma sigma tau upsilon phi chi psi omega";
const SIGN_NAMES = {
  ...Object.fromEntries(GREEK.split(" ").map((name, i) => [String.fromCharCode(0x3b1 + i), name])),
  "√": " sqrt ", "∑": " sum ", "∏": " prod ", "∫": " int ", "∞": " infty ", "∂": " partial ",
  "∇": " nabla ", "⟨": " langle ", "⟩": " rangle ", "‖": " norm ",
};
// What others call what the book has another word for.
const SYNONYMS = {
  attn: ["attention"], bf16: ["bfloat16"], cap: ["cap"], collapse: ["falls", "dead", "collaps"], capping: ["cap"], context: ["length", "text", "key"],
  deviation: ["sd", "spread"], extend: ["longer"], extrapolation: ["longer"], fp8: ["e4m3", "8 bits"], fp16: ["float16", "16 bits"], gradients: ["gradient"],
  init: ["initialis"], initializer: ["initialis"], lr: ["rate"], logsumexp: ["log z"], mscale: ["yarn"],
  multiplier: ["factor", "scale"], optimum: ["best", "maximal"], perplexity: ["loss"], rope: ["rotary"],
  sdpa: ["scaled dot product", "attention"], softcap: ["soft cap"], softcapping: ["soft cap", "cap"],
  std: ["sd", "standard deviation"], token: ["word", "key", "token"], variance: ["variance", "spread"],
  nucleus: ["top p"],
  dropped: ["dropped", "doubled"], explode: ["explode", "grow"], nvfp4: ["e2m1", "four bits"], fp4: ["e2m1", "four bits"],
  resolution: ["resolution", "images"], flashattention: ["fused kernel", "kernel"], mla: ["latent attention"],
  window: ["window", "length"], vanishing: ["dead", "vanish"], saturation: ["dead", "saturat"],
};
const STOP = new Set(("a an and are as at be best by can do does for from how i in is it make my of on or should"
  + " that the there this to use used using vs what when where which why will with you").split(" "));
// Words of the Chinese articles under test, which stand together without a space.
const CHINESE = {
  注意力: "attention", 缩放: "scale", 尺度: "scale", 温度: "temperature", 梯度: "gradient", 消失: "vanishing", 初始化: "initialis",
  熵: "entropy", 不变: "invariance", 长度: "length", 外推: "longer", 方差: "variance", 归一化: "norm", 内积: "dot product",
  点积: "dot product", 余弦: "cosine", 稀疏: "sparse", 线性: "linear", 概率: "probability", 训练: "training", 标准差: "sd", 坍塌: "collapse",
  根号: "sqrt", 除以: "divide", 为什么: "why",
};
// British and American, written alike.
const SPELLINGS = [
  [/([a-z]{3})iz(e|ation|ing|er)/g, "$1is$2"], [/(col|behavi|neighb|fav|lab)our/g, "$1or"],
  [/\bcentre/g, "center"], [/([a-z])lling\b/g, "$1ling"], [/([a-z])lled\b/g, "$1led"],
];

/** Return text as words, each after a space: p² as p2, and signs by name. */
function foldText(text) {
  let folded = text.replaceAll("Σ", "∑").normalize("NFKC").toLowerCase()
    .replace(/[^\x00-\x7f]/g, sign => SIGN_NAMES[sign] ?? sign)
    .replace(/(?<!\d)\.|\.(?!\d)|[^\p{Letter}\p{Number}.]+/gu, " ")
    .replace(/^ *| +/g, " ").trimEnd();
  for (const [spelling, other] of SPELLINGS) folded = folded.replace(spelling, other);
  return folded;
}

/** Return an expression for words, written together or apart: soft cap. */
function wordPattern(words) {
  const signs = Array.from(words.replaceAll(" ", ""), sign => sign.replace(".", "\\."));
  return ` ${signs.join(" ?")}`;
}

/** Return what a word may stand for, itself first: 32k, one of many, others. */
function meanings(word) {
  const found = [word.length > 3 ? word.replace(/s$/, "") : word, ...SYNONYMS[word] ?? []];
  const stem = word.replace(/(?:ations?|at(?:e[ds]?|ing)|ings?|ions?|ments?|e[ds])$/, "");
  if (stem.length > 3) found.push(stem);
  const [, count, unit] = /^(\d+)([km])$/.exec(word) ?? [];
  const power = unit === "m" ? 2 : 1;
  if (count) found.push(String(count * 1024 ** power), String(count * 1000 ** power));
  return found;
}

/** Return an expression that finds any of some words. */
function finderOf(words) {
  return new RegExp(words.map(wordPattern).join("|"), "gu");
}

/** Return what is asked for: all its words as one, and each, or null. */
function readQuestion(asked) {
  const text = Object.entries(CHINESE).reduce((text, [word, other]) => text.replaceAll(word, ` ${other} `), asked);
  const all = foldText(text).split(" ").filter(word => word);
  const telling = all.filter(word => !STOP.has(word));
  const words = telling.length ? telling : all;
  if (!words.length) return null;
  const plain = words.map(word => meanings(word)[0]);
  const whole = words.length > 1 ? finderOf([plain.join(" ")]) : finderOf(meanings(words[0]));
  const pairs = plain.slice(1).map((word, i) => finderOf([`${plain[i]} ${word}`]));
  return { words, whole, pairs, each: words.map(word => finderOf(meanings(word))) };
}

/** Tell whether a place has what an expression finds. */
function placeHas({ name, text, rows }, expression) {
  return [name, text, rows].some(part => part.search(expression) >= 0);
}

/** Return how well a place, as folded name and text, answers; 0: not at all. */
function answers({ whole, pairs, each }, place) {
  const { name, text, rows, terms, chapter } = place;
  const has = (part, where) => where.search(part) >= 0;
  const named = has(whole, name) ? 100 * (1 + name.match(whole)[0].length / name.length) : 0;
  const said = text.match(whole)?.length ?? 0;
  // A place that explains a word goes before those that use it, and those
  // before tables that list it.
  const explained = has(whole, terms) ? 50 : 0;
  if (named || said) return named + explained + Math.min(said, 9) + (chapter ? 30 : 20);
  if (has(whole, rows)) return 10;
  if (!each.every(part => placeHas(place, part))) return 0;
  const told = each.filter(part => has(part, name)).length
    + 1.5 * pairs.filter(pair => placeHas(place, pair)).length;
  return 1 + 4 * (1 + told + (chapter ? 0 : 0.1)) * chance(place);
}

/** Return how little of what a place has may be there by chance: less where it is long.
 *  Who does not name a function or a work wants to read before looking up. */
function chance({ text, rows, reference }) {
  return (1000 + text.length + rows.length) ** -0.25 * (reference ? 1.4 : 2);
}

/** Return how many letters must change, be put in, left out or swapped, to 3. */
function distance(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let [before, last] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}

/** Return the word of the book that is nearest to one that it has not. */
function nearest(word, places) {
  if (word.length < 4 || /\d/.test(word)) return word;
  const counts = new Map();
  for (const { folded } of places) {
    for (const other of `${folded.name}${folded.text}`.split(" ")) {
      if (other.length > 3) counts.set(other, (counts.get(other) ?? 0) + 1);
    }
  }
  let [best, least] = [word, word.length < 8 ? 1.5 : 2.5];
  for (const [other, count] of counts) {
    const far = distance(word, other) - count / (count + 1e4);
    if (far < least) [best, least] = [other, far];
  }
  return best;
}

/** Return the places that answer, the best first, and what was asked of them. */
function search(places, text) {
  const ranked = asked => places.map(place => ({ place, score: answers(asked, place.folded) }))
    .filter(({ score }) => score).sort((a, b) => b.score - a.score).map(({ place }) => place);
  let question = readQuestion(text);
  if (!question) return { question, found: [], whole: true };
  let found = ranked(question);
  if (!found.length) {
    question = readQuestion(text.replace(/([a-z])([A-Z])/g, "$1 $2"));  // StreamingLLM
    const { words, each } = question;
    const near = words.map((word, i) =>
      places.some(({ folded }) => placeHas(folded, each[i])) ? word : nearest(word, places));
    question = readQuestion(near.join(" "));
    found = ranked(question);
  }
  if (found.length >= ENOUGH || question.words.length < 2) return { question, found, whole: true };
  // Few places have all: then those with the rarest words, in their names if possible.
  const { each, pairs, words } = question;
  const exact = each.filter((_, i) => /^\d+\.\d+$/.test(words[i]));  // the number of a theorem
  const rare = each.map(part => Math.log(places.length
    / (1 + places.filter(({ folded }) => placeHas(folded, part)).length)));
  const least = 0.3 * rare.reduce((sum, one) => sum + Math.max(one, 0), 0);
  const others = places.filter(place => !found.includes(place)
    && exact.every(part => placeHas(place.folded, part))).map(place => ({
    place,
    score: 4 * chance(place.folded) * each.reduce((sum, part, i) => sum + (placeHas(place.folded, part) ? rare[i] : 0)
      + (place.folded.name.search(part) >= 0 ? rare[i] / 2 : 0)
      + (pairs[i] && placeHas(place.folded, pairs[i]) ? (rare[i] + rare[i + 1]) / 2 : 0), 0),
  })).filter(({ score }) => score > least).sort((a, b) => b.score - a.score).map(({ place }) => place);
  return { question, found: [...found, ...others], whole: false };
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

/** Return the places of all pages, with the name of the page. */
function placesOf(pages) {
  return pages.flatMap(([page, places]) => places.map(([id, name, text, rows, terms], i) => ({
    address: i ? `${page}#${id}` : page,
    name: i ? `${places[0][1]} › ${name}` : name,
    text: `${text} ${rows}`.trim(),
    folded: {
      name: foldText(name), text: foldText(text), rows: foldText(rows), terms: foldText(terms),
      chapter: page.startsWith("notebooks/"), reference: /library|references/.test(page),
    },
  })));
}

/** Answer in an element what is written into a field. */
function answerField(field, results, most) {
  const make = (name, attributes, ...children) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.append(...children);
    return element;
  };
  const root = document.documentElement.dataset.content_root ?? "./";
  const places = placesOf(PAGES);
  const status = make("p", { role: "status" });
  const list = make("ul", { className: "found-places" });
  results.replaceChildren(status, list);
  const show = () => {
    const { question, found, whole } = search(places, field.value);
    const shown = found.slice(0, most);
    const count = `${found.length} ${found.length > 1 ? "places" : "place"}`;
    status.textContent = !question ? "Words, names, numbers and signs: dead rows, LongRoPE, theorem 6.3, α_c."
      : !found.length ? "No place in the book has this."
        : (whole ? count : `${count} with all or most of this`)
          + (found.length > shown.length ? `, of which the best ${shown.length}:` : ":");
    list.replaceChildren(...shown.map(({ address, name, text }) => make("li", {},
      make("a", { href: root + address }, name),
      make("p", {}, ...extractFrom(question, text).flatMap(([word, asked]) =>
        [asked ? make("mark", {}, word) : word, " "])))));
  };
  show();
  field.addEventListener("input", show);
}

if (globalThis.document) {
  const field = document.querySelector(".bd-search-container input");
  const start = () => {
    const page = document.querySelector(".bd-search-container input");
    page.value = new URLSearchParams(location.search).get("q") ?? "";
    answerField(page, document.getElementById("search-results"), MOST_FOUND);
    page.addEventListener("input", () =>
      history.replaceState(null, "", `?q=${encodeURIComponent(page.value)}`));
    page.form.addEventListener("submit", event => event.preventDefault());
  };
  if (field) start();
  else if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
}
