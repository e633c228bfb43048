// Where models start (chapter 2): scores at a width and a standard deviation
// of the weights, among published models, and the row of weights they make.

// Published models, as in the stored figure: name, width, std of the weights.
const STARTS = [
  ["Transformer", 512, 512 ** -0.5], ["OLMo-7B", 4096, 0.9866 / 64],
  ["BERT", 768, 0.8796 / 50], ["GPT-2", 768, 0.02],
  ["Llama", 4096, 0.02], ["Keras", 512, (2 / 512 / 72) ** 0.5],
  ["GPT-NeoX", 6144, (5 * 6144 / 2) ** -0.5], ["OPT-175B", 12288, 0.006],
];

// Twelve typical normal scores: the quantiles at 1/24, 3/24 … 23/24.
const TYPICAL = [1.73, 1.15, 0.81, 0.55, 0.32, 0.1, -0.1, -0.32, -0.55, -0.81, -1.15, -1.73];

/** Return the standard deviation of scaled scores at the start. */
function startSpread(width, std) {
  return width * std ** 2;
}

/** Write the start in two digits. */
function startText(spread) {
  return spread < 0.001 ? "below 0.001" : String(Number(spread.toPrecision(2)));
}

if (globalThis.HTMLElement) {
  const [NARROW, WIDE, LOW, HIGH] = [128, 20_000, 0.003, 0.1];

  customElements.define("start-map", class extends TypedExplorable {
    static title = "Where the scores of a model start";
    static controls = [
      {
        name: "width", label: "width w", min: 7, max: 14.25, step: 0.25, value: Math.log2(768),
        toValue: x => Math.round(2 ** x), toPosition: Math.log2, show: String,
      },
      {
        name: "std", label: "std of weights", min: -2.5, max: -1, step: 0.02, value: Math.log10(0.02),
        toValue: x => Number((10 ** x).toPrecision(3)), toPosition: Math.log10, show: String,
      },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 270 });
      dragAcross(this.plot, (x, y) => {
        const { bottom, left, right, top } = this.plot.margin;
        const inside = share => Math.min(1, Math.max(0, share));
        const across = inside((x - left) / (this.plot.width - left - right));
        const up = inside((this.plot.height - bottom - y) / (this.plot.height - bottom - top));
        this.change({
          width: Math.round(NARROW * (WIDE / NARROW) ** across),
          std: Number((LOW * (HIGH / LOW) ** up).toPrecision(2)),
        });
      });
      this.row = barsElement(views);
    }

    fromAddress(parameters) {
      const { width, std } = super.fromAddress(parameters);
      return { width: Math.round(width), std };
    }

    show({ width, std }) {
      const spread = startSpread(width, std);
      const weights = softmax(TYPICAL, spread);
      const level = start => [100, 30_000].map(w => [w, Math.sqrt(start / w)]);
      this.plot.draw({
        x: { min: NARROW, max: WIDE, log: true, label: "width of the model, w" },
        y: { min: LOW, max: HIGH, log: true, label: "std of the weights" },
        lines: [
          { points: level(1), role: "theory" },
          { points: level(0.1), role: "quiet" },
          { points: [[NARROW, 0.02], [WIDE, 0.02]], role: "quiet", dotted: true },
        ],
        points: [
          ...STARTS.map(([, w, sigma]) => ({ at: [w, sigma], role: "practice", open: true })),
          { at: [width, std], role: "theory" },
        ],
        texts: [
          ...STARTS.map(([name, w, sigma]) => ({
            at: [w, sigma], role: "practice", text: name, end: w > 5000 || name === "OLMo-7B",
            below: ["BERT", "OLMo-7B", "GPT-NeoX", "OPT-175B"].includes(name) ? 20 : -10,
          })),
          ...[0.1, 1].map(start => ({
            at: [140, Math.sqrt(start / 140)], below: -6, role: start === 1 ? "theory" : "quiet",
            text: `start ${start}`,
          })),
        ],
      });
      drawBars(this.row, this.plot, weights, 1 / 12, "weights of twelve typical keys");
      const best = `${Math.round(100 * weights[0])}%`;
      this.read([
        ["scores start at wσ²", startText(spread)],
        ["σ for a start of 1", (width ** -0.5).toPrecision(2)],
        ["the best of twelve keys gets", best],
      ]);
      return `At width ${width}, with weights of standard deviation ${std}, scores start with`
        + ` standard deviation ${startText(spread)}; the best of twelve typical keys gets ${best}.`;
    }
  });
}
