// How the scale grows with the number of keys: the exact law that keeps the
// mean entropy of a base, and rules that do not look at the base. At its own
// length a rule multiplies the base scale by 1; only Llama 4's by 1.07.

const LENGTH_RULES = [
  { name: "Fixed scale", label: "fixed", role: "quiet", factor: () => 1 },
  { name: "√(log n / log n₀)", label: "√ log n", role: "quiet", dotted: true, factor: rootLengthFactor },
  { name: "Llama 4", label: "Llama 4", role: "practice", factor: llama4Factor },
  { name: "Qwen", label: "Qwen", role: "qwen", dotted: true, factor: qwenFactor },
  { name: "log n / log n₀", label: "log n", role: "wrong", dashed: true, factor: logLengthFactor },
  { name: "YaRN", label: "YaRN", role: "yarn", dashed: true, factor: yarnFactor },
];
const EXACT_LAW = { name: "Exact", label: "exact", role: "theory" };

/**
 * Return {factor, scale, entropy} of the exact law and of each rule for rows
 * of n keys; NaN where no scale keeps the entropy.
 */
function lawsAtLength(n, baseScale, baseLength) {
  const kept = meanEntropy(baseLength, baseScale);
  const { entropy } = averagesOfLength(n);
  const scale = invariantScale(n, baseScale, baseLength);
  const exact = { factor: scale / baseScale, scale, entropy: scale >= 0 ? kept : NaN };
  return [exact, ...LENGTH_RULES.map(rule => {
    const factor = rule.factor(n, baseLength);
    return { factor, scale: factor * baseScale, entropy: entropy(factor * baseScale) };
  })];
}

/**
 * Return lengths to draw at: evenly over their logarithms, where Llama 4 has
 * its first steps, and where the exact law begins.
 */
function lengthsToDraw(first, last, baseLength, kept) {
  const lengths = new Set();
  for (let i = 0; i <= 90; i++) lengths.add(Math.round(first * (last / first) ** (i / 90)));
  for (let k = 1; k <= 8; k++) lengths.add(k * baseLength - 1).add(k * baseLength);
  for (const part of [0, 1e-4, 0.003, 0.02]) lengths.add(Math.floor((1 + part) * Math.exp(kept)) + 1);
  return [...lengths].filter(n => n >= first && n <= last).sort((a, b) => a - b);
}

/** Return the rules that come closest to an entropy, with their miss. */
function closestRules(laws, kept) {
  const misses = laws.slice(1).map(law => Math.abs(law.entropy - kept));
  const miss = Math.min(...misses);
  const names = LENGTH_RULES.filter((_, i) => misses[i] < miss + 0.005).map(rule => rule.label);
  return { names, miss };
}

if (globalThis.HTMLElement) {
  const [BASE, SHORTEST, LONGEST] = [8192, 64, 2 ** 23];
  const keys = n => n.toLocaleString("en");
  // With their place among the laws; the exact one is drawn over the others.
  const DRAWN = [...LENGTH_RULES.map((rule, i) => [rule, i + 1]), [EXACT_LAW, 0]];

  customElements.define("length-laws", class extends Explorable {
    static title = "The scale that keeps the entropy as rows get longer";
    static columns = "repeat(auto-fit, minmax(7.5rem, 1fr))";
    static controls = [
      {
        name: "scale", label: "base scale α₀", min: 0.25, max: 6, step: 0.05, value: 1,
        show: scale => scale.toFixed(2),
      },
      {
        name: "n", label: "keys n", min: 6, max: 23, step: 0.125, value: 17,
        toValue: x => Math.round(2 ** x), toPosition: Math.log2, show: keys,
      },
    ];

    build(views) {
      this.upper = new Plot(views, { height: 250, right: 62 });
      this.upper.margin.bottom = 26;
      this.lower = new Plot(views, { height: 250, right: 62 });
      for (const plot of [this.upper, this.lower]) this.point(plot);
      this.caption = htmlElement("caption");
      const head = ["law", "factor", "scale", "entropy"].map(text =>
        htmlElement("th", { scope: "col" }, text));
      this.rows = [EXACT_LAW, ...LENGTH_RULES].map(law => {
        const key = svgElement("svg", { viewBox: "0 0 24 8", width: 24, height: 8, "aria-hidden": true });
        svgElement("path", { d: "M0,4H24", class: lineClass(law) }, key);
        const cells = [1, 2, 3].map(() => htmlElement("td"));
        const name = htmlElement("th", { scope: "row" }, key, " ", law.name);
        return { row: htmlElement("tr", {}, name, ...cells), cells };
      });
      const table = htmlElement("table", {}, this.caption,
        htmlElement("thead", {}, htmlElement("tr", {}, ...head)),
        htmlElement("tbody", {}, ...this.rows.map(({ row }) => row)));
      views.append(htmlElement("div", { class: "explorable-table" }, table));
    }

    /** Let a mouse or a finger move n in a plot. */
    point(plot) {
      dragAcross(plot, at => {
        const { left, right } = plot.margin;
        const share = (at - left) / (plot.width - left - right);
        this.change({ ...this.state, n: SHORTEST * (LONGEST / SHORTEST) ** share });
      });
    }

    /** Keep n whole, and among the lengths that are drawn. */
    update() {
      this.state.n = Math.min(Math.max(Math.round(this.state.n), SHORTEST), LONGEST);
      super.update();
    }

    show({ scale, n }) {
      const kept = meanEntropy(BASE, scale);
      const lengths = lengthsToDraw(SHORTEST, LONGEST, BASE, kept);
      const drawn = lengths.map(length => lawsAtLength(length, scale, BASE));
      const here = lawsAtLength(n, scale, BASE);
      const apart = Math.abs(Math.log(n / BASE)) > 0.1 * Math.log(LONGEST / SHORTEST);
      const draw = (plot, what, xLabel, y) => plot.draw({
        x: { min: SHORTEST, max: LONGEST, log: true, label: xLabel },
        y: { min: 0, ...y },
        rules: [{ x: BASE, label: "n₀" }, { x: n, label: apart ? "n" : "" }],
        lines: DRAWN.map(([law, i]) => ({
          ...law,
          points: lengths.map((length, j) => [length, drawn[j][i][what]])
            .filter(([, value]) => value >= 0),
        })),
        points: DRAWN.map(([law, i]) => ({ at: [n, here[i][what]], role: law.role }))
          .filter(({ at: [, value] }) => value >= 0 && value <= y.max),
      });
      // The frames do not move with α₀, as far as possible.
      draw(this.upper, "factor", "", { max: 5, label: "factor α / α₀" });
      const highest = Math.max(kept, ...drawn.at(-1).slice(1).map(law => law.entropy));
      const top = [2, 3, 4, 6, 8, 12, 16, 24].find(value => value >= highest);
      draw(this.lower, "entropy", "number of keys n", { max: top, label: "mean entropy, nats" });
      return this.tell(here, kept, n);
    }

    /** Write the numbers at n. */
    tell(here, kept, n) {
      const { names, miss } = closestRules(here, kept);
      const equal = Math.exp(kept);
      const none = !(here[0].scale >= 0);
      this.caption.textContent = `At n = ${keys(n)}; entropy in nats`;
      here.forEach(({ factor, scale, entropy }, i) => {
        const shown = [factor, scale, entropy].map(value => value >= 0 ? value.toFixed(2) : "none");
        shown.forEach((text, j) => { this.rows[i].cells[j].textContent = text; });
        this.rows[i].row.classList.toggle("closest", i > 0 && names.includes(LENGTH_RULES[i - 1].label));
      });
      const closest = names.length > 2 ? "several" : names.join(", ");
      this.read([
        ["entropy to keep", `${kept.toFixed(2)} nats`],
        ["equal keys with it", equal < 100 ? equal.toFixed(1) : keys(Math.round(equal))],
        ["closest rule at n", closest],
        ["misses by", `${miss.toFixed(2)} nats`],
      ]);
      const exact = none ? "No scale keeps"
        : `A factor of ${here[0].factor.toFixed(2)} keeps`;
      return `${exact} ${kept.toFixed(2)} nats at ${keys(n)} keys. Closest: `
        + `${closest}, which misses by ${miss.toFixed(2)} nats.`;
    }
  });
}
