// A trained head on longer texts: by which factor its logits would have to
// grow to keep what one wants to keep, and which factors models have (8).

/** Return the factor that keeps a key's weight above equal rivals. */
function marginFactor(n, baseLength, weight) {
  const logOdds = keys => Math.log(keys - 1) + Math.log(weight / (1 - weight));
  return logOdds(n) / logOdds(baseLength);
}

/**
 * Return the scale that keeps the mean entropy of a base, or NaN: that of the
 * table, which is near, with a step of Newton's method on exact averages.
 */
function exactInvariantScale(n, baseScale, baseLength) {
  const near = invariantScale(n, baseScale, baseLength);
  if (n === baseLength || !(near > 0)) return near;
  const [low, high] = [near * (1 - 1e-4), near * (1 + 1e-4)];
  const slope = (meanEntropy(n, high) - meanEntropy(n, low)) / (high - low);
  const excess = exactRow(n, near).entropy - exactRow(baseLength, baseScale).entropy;
  return near - excess / slope;
}

const TRAINED_LAWS = [
  { name: "keep one key", kind: "key", factor: marginFactor,
    python: "margin_scale(n, weight, 1) / margin_scale(n_0, weight, 1)" },
  { name: "keep the entropy", kind: "spread",
    factor: (n, base, weight, scale) => exactInvariantScale(n, scale, base) / scale,
    python: "entropy_invariant_scale(n, alpha_0, n_0) / alpha_0" },
  { name: "log n / log n₀", factor: logLengthFactor, python: "rules.log_length(n, n_0)" },
  { name: "√(log n / log n₀)", factor: rootLengthFactor, python: "rules.log_length(n, n_0)**0.5" },
  { name: "YaRN", factor: (n, base) => yarnFactor(n, base), python: "rules.yarn(n, n_0)" },
  { name: "Llama 4", factor: (n, base) => llama4Factor(n, base), python: "rules.llama4(n, n_0)" },
  { name: "Qwen, LongRoPE", factor: qwenFactor, python: "rules.qwen(n, n_0)" },
  { name: "change nothing", kind: "unknown", factor: () => 1, python: "1.0" },
];

/** Return {factor, scale, entropy} by each law; NaN where none will do. */
function factorsOfHead({ scale, base, n, weight }) {
  const { entropy } = averagesOfLength(n);
  return TRAINED_LAWS.map(law => {
    const factor = law.factor(n, base, weight, scale);
    return { factor, scale: factor * scale, entropy: entropy(factor * scale) };
  });
}

/** Return Python that computes the same. */
function pythonOfHead({ scale, base, n, weight }, found) {
  const lines = TRAINED_LAWS.map(({ python }, i) => `${python}  # ${found[i].factor.toFixed(3)}`);
  return `from attention_scale import rules
from attention_scale.length import entropy_invariant_scale, margin_scale

n, n_0 = ${pythonNumber(n)}, ${pythonNumber(base)}
alpha_0, weight = ${scale}, ${weight}
${lines.filter((_, i) => found[i].factor >= 0).slice(0, -1).join("\n")}
`;
}

/** Return what a factor would keep, and what trained models say to it. */
function wordsOfHead({ base, n, weight, kind }, found) {
  const factor = i => fourDigits(found[i].factor);
  const wanted = {
    key: `Above equal rivals a key keeps the weight ${weight} with a factor of ${factor(0)}.`,
    spread: found[1].factor >= 0
      ? `Rows of normal scores keep their mean entropy with a factor of ${factor(1)}.`
      : "So few keys cannot have the entropy that the head has at n₀.",
    unknown: n <= base ? "No law is needed here."
      : "If any, try one small factor for all heads.",
  }[kind];
  if (n <= base) return `${wanted} In the one decoder that was measured no factor helped within the trained length: change nothing.`;
  const longer = n > 2 * base ? " Longer texts were measured in toy decoders only, where the right growth depended on the task." : "";
  return `${wanted} At twice the trained length a factor of 1.03 for all heads helped the one decoder that was measured`
    + ` a little; nothing else is shown to help, least of all factors by head.${longer}`;
}

if (globalThis.HTMLElement) {
  customElements.define("length-calculator", class extends Calculator {
    static title = "Factors for longer texts";
    static controls = [
      { name: "scale", label: "measured spread α₀", min: 0.05, max: 16, value: 2.75 },
      { name: "base", label: "trained on n₀ keys", min: 16, max: 1e9, value: 8192, whole: true },
      { name: "longer", label: "used on n keys", min: 16, max: 1e12, value: 131_072, whole: true },
      {
        name: "kind", label: "what the head does", value: "unknown", options: {
          unknown: "unknown", key: "finds one key", spread: "spreads its weight",
        },
      },
      { name: "weight", label: "weight of the key", min: 0.1, max: 0.999, value: 0.5 },
    ];

    build(views) {
      super.build(views);
      const head = ["law", "factor", "α", "entropy"].map(text => htmlElement("th", { scope: "col" }, text));
      this.rows = TRAINED_LAWS.map(({ name }) => {
        const cells = [1, 2, 3].map(() => htmlElement("td"));
        return { row: htmlElement("tr", {}, htmlElement("th", { scope: "row" }, name), ...cells), cells };
      });
      this.caption = htmlElement("caption");
      views.append(htmlElement("div", { class: "explorable-table" }, htmlElement("table", {}, this.caption,
        htmlElement("thead", {}, htmlElement("tr", {}, ...head)),
        htmlElement("tbody", {}, ...this.rows.map(({ row }) => row)))));
    }

    show({ longer: n, ...state }) {
      state = { ...state, n };
      this.sliders.get("weight").input.disabled = state.kind !== "key";
      const found = factorsOfHead(state);
      this.caption.textContent = `At ${n.toLocaleString("en")} keys; entropy in nats, of rows of normal scores`;
      found.forEach((law, i) => {
        [law.factor, law.scale, law.entropy].forEach((value, j) =>
          setText(this.rows[i].cells[j], value >= 0 ? value.toFixed(3 - (j > 0)) : "none"));
        this.rows[i].row.classList.toggle("closest", TRAINED_LAWS[i].kind === state.kind);
      });
      this.read([
        ["α_c at n₀", fourDigits(freezingScale(state.base))],
        ["α_c at n", fourDigits(freezingScale(n))],
        ["mean entropy at n₀", `${fourDigits(meanEntropy(state.base, state.scale))} nats`],
        ["log(n / n₀)", fourDigits(Math.log(n / state.base)).replace("-", "−")],
      ]);
      this.code.textContent = pythonOfHead(state, found);
      const words = wordsOfHead(state, found);
      this.answer.textContent = words;
      return words;
    }
  });
}
