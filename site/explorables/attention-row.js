// The front page: one row of attention. Each bar is a word that is looked at,
// or several neighbours in a longer text. The scores are independent, normal
// and always the same: a longer text adds to them.

const ROW_SEED = 28;  // a typical row: its best score leads by as much as most
const MOST_BARS = 256;

/** Return n normal scores, always the same (Mulberry32, and Box and Muller). */
function rowScores(n) {
  let state = ROW_SEED;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  return Array.from({ length: n }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  });
}

/** Return the weights of the row, and what is said of them. */
function rowNumbers(n, alpha) {
  const weights = softmax(rowScores(n), alpha);
  const squares = collision(weights);
  return {
    weights, best: Math.max(...weights), words: 1 / squares, gradient: alpha * (1 - squares),
    turning: Math.sqrt(2 * Math.log(n)),
  };
}

/** Return the sums of neighbours, so that there are not too many bars. */
function grouped(weights, most) {
  const size = Math.max(1, weights.length / most);
  return Array.from({ length: weights.length / size }, (_, i) =>
    sumOf(weights.slice(i * size, (i + 1) * size)));
}

/** Write a share in per cent. */
function shareText(share) {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
}

/** Write what the scores are divided by, to spread so far. */
function divisorText(alpha, d = 64) {
  if (Math.abs(alpha - 1) < 1e-9) return "√d";
  if (alpha >= Math.sqrt(d) - 1e-9) return "nothing";
  return `√d × ${Number((1 / alpha).toPrecision(2))}`;
}

/** Return the two numbers of the row, as a sentence. */
function rowSentence(n, { words, best }) {
  const share = words < 9.95 ? words.toFixed(1) : Math.round(words).toLocaleString("en");
  return `Of ${n.toLocaleString("en")} words about ${share} share the attention; the best has ${shareText(best)}.`;
}

const TURNING = 3.1;  // √(2 log 128)
const ROW_STEPS = [
  { name: "divide by √d", alpha: 1, n: 128,
    says: "A score is a sum of d products. Divided by √d, an untrained model’s mostly lie between −2 and 2, so many words share." },
  { name: "√(2 log n)", alpha: TURNING, n: 128,
    says: "Divided by less, they lie further apart. Around √(2 log n) times less, for n words, a row goes from many words to a few." },
  { name: "no division", alpha: 8, n: 128,
    says: "At d = 64 they mostly lie between −16 and 16. One row in eight then has a winner so clear that hardly any gradient passes." },
  { name: "a longer text", alpha: 1, n: 8192,
    says: "Divided by √d again: the same spread over more words leaves less for each." },
];

if (globalThis.HTMLElement) {
  customElements.define("attention-row", class extends Explorable {
    static title = "One row of attention";
    static controls = [
      {
        name: "alpha", label: "divide by less", min: 0, max: 8, step: 0.1, value: 1,
        show: alpha => divisorText(alpha),
      },
      {
        name: "n", label: "longer text", min: 3, max: 13, step: 1, value: 7,
        toValue: x => 2 ** Math.round(x), toPosition: Math.log2,
        show: n => `${n.toLocaleString("en")} words`,
      },
    ];

    build(views) {
      this.says = htmlElement("p", { class: "row-sentence" });
      this.height = innerHeight < 800 ? 150 : 190;
      this.svg = svgElement("svg", {
        class: "explorable-plot", "aria-hidden": true, focusable: false, height: this.height,
      }, views);
      this.remark = htmlElement("p", { class: "row-remark" });
      this.steps = ROW_STEPS.map(({ name, alpha, n }) => {
        const button = htmlElement("button", { type: "button" }, name);
        button.addEventListener("click", () => this.change({ alpha, n }));
        return button;
      });
      const steps = htmlElement("p", { class: "row-steps" }, ...this.steps);
      views.before(this.says);
      views.after(this.controls);
      this.controls.after(steps, this.remark);
      this.panel.classList.add("row-panel");
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: 2 ** Math.round(Math.log2(state.n)) };
    }

    /** Draw the bars; their heights are the roots of the shares. */
    draw(weights) {
      const { height } = this;
      const [width, left] = [this.svg.parentElement.clientWidth, 46];
      this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.svg.replaceChildren();
      const y = share => height - 4 - (height - 16) * Math.sqrt(share);
      for (const share of [0.01, 0.1, 0.5, 1]) {
        svgElement("path", { class: "row-rule", d: `M${left} ${y(share).toFixed(1)}H${width}` }, this.svg);
        svgElement("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end", class: "role-quiet" },
          this.svg, `${100 * share}%`);
      }
      const bars = grouped(weights, MOST_BARS);
      const best = bars.indexOf(Math.max(...bars));
      const step = (width - left) / bars.length;
      bars.forEach((share, i) => svgElement("rect", {
        class: i === best ? "role-simulation filled" : "role-theory filled",
        x: (left + i * step).toFixed(2), width: Math.max(0.6, step - (step > 3)).toFixed(2),
        y: y(share).toFixed(2), height: (height - 4 - y(share)).toFixed(2),
      }, this.svg));
      const size = weights.length / bars.length;
      return size > 1 ? `${size} neighbours` : "one word";
    }

    show({ alpha, n }) {
      const found = rowNumbers(n, alpha);
      const bar = this.draw(found.weights);
      const words = rowSentence(n, found);
      setText(this.says, words);
      const at = ROW_STEPS.findIndex(step => step.n === n && Math.abs(step.alpha - alpha) < 0.05);
      this.steps.forEach((button, i) => button.setAttribute("aria-pressed", i === at));
      const spread = `Spread of the scores ${alpha.toFixed(1)}; √(2 log n) is ${found.turning.toFixed(1)};`
        + ` the row passes a gradient of ${found.gradient.toFixed(2)}. Each bar is ${bar}.`;
      setText(this.remark, at >= 0 ? `${ROW_STEPS[at].says} Each bar is ${bar}.` : spread);
      return `${words} ${spread}`;
    }
  });
}
