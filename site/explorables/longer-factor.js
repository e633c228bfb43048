// Which factor helps in a longer text (chapter 14)? The losses of small
// decoders, by task, length and factor.

/** Return the losses of a task at a length, by factor. */
function longerLosses(task, length) {
  return LONGER_FACTOR.losses[task][LONGER_FACTOR.lengths.indexOf(length)];
}

/** Return the factor, of those tried, with the least loss. */
function longerBest(losses) {
  return LONGER_FACTOR.factors[losses.indexOf(Math.min(...losses))];
}

if (globalThis.HTMLElement) {
  const { factors, lengths, losses } = LONGER_FACTOR;
  const tasks = Object.keys(losses);
  const written = factor => String(Number(factor.toPrecision(3)));

  customElements.define("longer-factor", class extends Explorable {
    static title = "The loss in a longer text, by task and factor";
    static controls = [
      { name: "task", label: "task", min: 0, max: tasks.length - 1, step: 1, value: 0, show: task => tasks[task] },
      {
        name: "tokens", label: "tokens", min: 0, max: lengths.length - 1, step: 1, value: 0,
        toValue: at => lengths[Math.round(at)], toPosition: n => lengths.indexOf(n),
        show: n => n.toLocaleString("en"),
      },
      {
        name: "factor", label: "factor", min: 0, max: factors.length - 1, step: 1, value: factors.indexOf(1),
        toValue: at => factors[Math.round(at)], toPosition: factor => factors.indexOf(factor), show: written,
      },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 270, right: 46 });
    }

    fromAddress(parameters) {
      const { task, tokens, factor } = super.fromAddress(parameters);
      const nearest = (all, x) => all.reduce((a, b) => Math.abs(b - x) < Math.abs(a - x) ? b : a);
      return { task: Math.round(task), tokens: nearest(lengths, tokens), factor: nearest(factors, factor) };
    }

    show({ task, tokens, factor }) {
      const own = longerLosses(tasks[task], tokens);
      const [here, plain] = [own[factors.indexOf(factor)], own[factors.indexOf(1)]];
      const best = longerBest(own);
      const growth = Math.log(tokens) / Math.log(lengths[0]);
      this.plot.draw({
        x: { min: 0.5, max: 16, log: true, label: "factor on the logits" },
        y: { min: 0.01, max: 2, log: true, label: "loss" },
        lines: tasks.map((name, i) => ({
          points: longerLosses(name, tokens).map((loss, at) => [factors[at], loss]),
          role: i === task ? "ink" : "quiet", faint: i !== task, label: name,
        })),
        points: [
          ...tasks.filter((_, i) => i !== task).map(name => longerLosses(name, tokens)).map(losses => (
            { at: [longerBest(losses), Math.min(...losses)], role: "quiet" }
          )),
          { at: [best, Math.min(...own)], role: "simulation" }, { at: [factor, here], role: "ink", open: true },
        ],
        rules: [{ x: growth, label: "log n / log n₀", role: "wrong" }],
      });
      const change = here - plain;
      this.read([
        ["loss", here.toFixed(3)],
        ["without a factor", plain.toFixed(3)],
        ["least, of those tried", `at ${written(best)}`],
        ["log n / log n₀", growth.toFixed(2)],
      ]);
      return `${tasks[task]}, at ${tokens} tokens with the factor ${written(factor)}: the loss is ${here.toFixed(3)}, `
        + `${Math.abs(change).toFixed(3)} ${change > 0 ? "above" : "below"} that without one; it is least at ${written(best)}.`;
    }
  });
}
