// What four trained heads see in a page of a novel (chapter 13): the weights
// of one row, behind the words.

/** Return how far the logits of a row lie below the largest, by its letters. */
function lettersBelow(letters) {
  return [...letters].map(letter => {
    const code = letter.charCodeAt(0);
    return -HEAD_WORDS.step * (code - 35 - (code > 92));
  });
}

/** Return the weights of a head's row with a factor on its logits. */
function headWeights(head, row, factor) {
  return softmax(lettersBelow(HEAD_WORDS.below[head][row]), factor);
}

/** Return the standard deviation of numbers. */
function spreadOf(numbers) {
  const mean = sumOf(numbers) / numbers.length;
  return Math.sqrt(sumOf(numbers.map(x => (x - mean) ** 2)) / numbers.length);
}

/** Return how many keys normal scores of a spread use, between two of a table. */
function normalKeys(spread) {
  const { keys, spread: step } = HEAD_WORDS;
  const at = Math.min(spread / step, keys.length - 1);
  const low = Math.min(Math.floor(at), keys.length - 2);
  const share = (at ** 2 - low ** 2) / (2 * low + 1);  // the curve starts flat
  return keys[low] ** (1 - share) * keys[low + 1] ** share;
}

if (globalThis.HTMLElement) {
  const { heads, rows, words } = HEAD_WORDS;
  const keysText = keys => (keys < 9.95 ? keys.toFixed(1) : String(Math.round(keys)));

  customElements.define("head-words", class extends Explorable {
    static title = "What four heads see in a page of a novel";
    static controls = [
      {
        name: "head", label: "head", min: 1, max: heads.length, step: 1, value: 3,
        show: head => `layer ${heads[head - 1][0]}, head ${heads[head - 1][1]}`,
      },
      {
        name: "row", label: "reading word", min: 1, max: rows.length, step: 1, value: 2,
        show: row => words[rows[row - 1]].trim(),
      },
      {
        name: "factor", label: "factor", min: 0, max: 3, step: 0.05, value: 1,
        show: factor => factor.toFixed(2),
      },
    ];

    build(views) {
      this.page = htmlElement("p", { class: "head-page", tabindex: 0, "aria-label": "The page that is read" });
      this.spans = words.map((word, i) => {
        const row = rows.indexOf(i);
        const span = htmlElement("span", {}, word.replace(/^ /, ""));
        if (row >= 0) span.addEventListener("click", () => this.change({ ...this.state, row: row + 1 }));
        span.classList.toggle("head-reads", row >= 0);
        return span;
      });
      this.page.append(...words.flatMap((word, i) => word.startsWith(" ") ? [" ", this.spans[i]] : [this.spans[i]]));
      views.append(this.page);
    }

    fromAddress(parameters) {
      const { head, row, factor } = super.fromAddress(parameters);
      return { head: Math.round(head), row: Math.round(row), factor };
    }

    show({ head, row, factor }) {
      const weights = headWeights(head - 1, row - 1, factor);
      const spread = factor * spreadOf(lettersBelow(HEAD_WORDS.below[head - 1][row - 1]));
      const place = rows[row - 1];
      this.spans.forEach((span, i) => {
        // the first token is in no row, and a head sees nothing that comes
        const weight = i > 0 && i <= place ? weights[i - 1] : 0;
        span.style.setProperty("--seen", Math.sqrt(weight).toFixed(3));
        span.classList.toggle("head-now", i === place);
        span.classList.toggle("head-later", i > place);
      });
      const best = weights.indexOf(Math.max(...weights)) + 1;
      // with another head or word the page moves to where it looks
      if (this.seen !== `${head} ${row}`) this.page.scrollTop = this.spans[best].offsetTop - 90;
      this.seen = `${head} ${row}`;
      const share = `${(100 * weights[best - 1]).toPrecision(2)}%`;
      const word = words[best].trim() || "a new line";
      const back = place - best ? `${place - best} back` : "itself";
      const [used, normal] = [1 / collision(weights), normalKeys(spread)].map(keysText);
      this.read([
        ["looks most at", `${word} (${back}), ${share}`],
        ["keys used, 1/Σp²", used],
        ["normal scores of its spread use", normal],
        ["spread of the logits", spread.toFixed(2)],
      ]);
      return `Layer ${heads[head - 1][0]}, head ${heads[head - 1][1]}, reading ${words[place].trim()}: it looks most at`
        + ` ${word}, ${back}, with ${share}, and uses ${used} keys; normal scores of its spread use ${normal}.`;
    }
  });
}
