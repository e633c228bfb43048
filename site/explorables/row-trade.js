// What a scale buys and what it costs (chapter 4): the mean score and the
// entropy of chapter 1's row of five as the scale grows, and its weights.

const TRADED = [["cat", 1.5], ["mat", 0.5], ["sat", 0], ["on", -0.5], ["the", -1.5]];
const TRADED_SCORES = TRADED.map(([, score]) => score);
const HIGHEST_TRADE = 8;

/** Return the weights of scores at a scale, their mean score and entropy. */
function tradeAt(scores, alpha) {
  const weights = softmax(scores, alpha);
  return { weights, mean: sumOf(weights.map((w, i) => w * scores[i])), entropy: shannon(weights) };
}

/** Return the scale up to 8 at which a row has a mean score, or the nearest. */
function scaleOfMean(scores, mean) {
  let [low, high] = [0, HIGHEST_TRADE];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (tradeAt(scores, middle).mean < mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

if (globalThis.HTMLElement) {
  customElements.define("row-trade", class extends TypedExplorable {
    static title = "What a scale buys in mean score and costs in entropy";
    static columns = "repeat(auto-fit, minmax(8rem, 1fr))";
    static controls = [{
      name: "alpha", label: "scale α", min: 0, max: HIGHEST_TRADE, step: 0.05, value: 0,
      show: alpha => String(Number(alpha.toFixed(2))),
    }];

    build(views) {
      const board = htmlElement("div", { class: "softmax-board trade-board" });
      const left = htmlElement("div");
      const bars = htmlElement("div", { class: "softmax-bars", "aria-hidden": true });
      board.append(left, htmlElement("div", {}, htmlElement("p", {}, "weights"), bars));
      views.append(board);
      this.bars = TRADED.map(([word]) => {
        const bar = htmlElement("div", {}, word, htmlElement("i"), htmlElement("span"));
        bars.append(bar);
        return bar;
      });
      this.plot = new Plot(left, { height: 250 });
      dragAcross(this.plot, at => {
        const { left: from, right } = this.plot.margin;
        const mean = 1.6 * (at - from) / (this.plot.width - from - right);
        this.change({ alpha: Number(scaleOfMean(TRADED_SCORES, mean).toFixed(2)) });
      });
      this.curve = Array.from({ length: 401 }, (_, i) => {
        const { mean, entropy } = tradeAt(TRADED_SCORES, 25 * (i / 400) ** 2);
        return [mean, entropy];
      });
    }

    show({ alpha }) {
      const { weights, mean, entropy } = tradeAt(TRADED_SCORES, alpha);
      const reach = 0.35 / Math.hypot(1, alpha);
      this.plot.draw({
        x: { min: 0, max: 1.6, label: "mean score" },
        y: { min: 0, max: 1.8, label: "entropy, nats" },
        lines: [
          { points: this.curve, role: "theory" },
          { points: [-1, 1].map(side => [mean + side * reach, entropy - side * reach * alpha]), role: "quiet" },
        ],
        points: [{ at: [mean, entropy], role: "simulation" }],
        rules: [{ x: 0.5, label: "mat’s score" }],
        texts: ["no weights", "reach here"].map((text, i) =>
          ({ at: [1.59, 1.58], role: "quiet", text, below: 15 * i, end: true })),
      });
      weights.forEach((weight, i) => {
        setText(this.bars[i].lastChild, weight.toFixed(2).replace(/^0/, ""));
        this.bars[i].style.setProperty("--weight", weight.toFixed(4));
      });
      const words = TRADED.filter(([, score]) => score > mean + 1e-9).map(([word]) => word).join(", ");
      this.read([
        ["mean score", mean.toFixed(2)],
        ["entropy", `${entropy.toFixed(2)} nats`],
        ["would gain from more", words],
        ["price of mean score", `${Number(alpha.toFixed(2))} nats a unit`],
      ]);
      return `At the scale ${alpha} the mean score is ${mean.toFixed(2)} and the entropy ${entropy.toFixed(2)} nats.`
        + ` From a larger scale would gain: ${words}.`;
    }
  });
}
