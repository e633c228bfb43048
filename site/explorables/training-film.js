// A film of training (chapter 12): what 500 steps make of a start. The loss of
// a run above that of the usual start, and its dead rows and its spread.

/** Return the runs of a start, by rising learning rate. */
function filmRuns(start) {
  return TRAINING_FILM.runs[String(start)];
}

/**
 * Return the rate that was tried with a start and is nearest to the one asked
 * for; if a slider came from another rate, the next in its direction.
 */
function filmRate(start, asked, before = asked) {
  const tried = filmRuns(start).map(run => run.rate);
  const onward = tried.filter(rate => (asked < before ? rate <= asked : asked > before && rate >= asked));
  const away = rate => Math.abs(Math.log(rate / asked));
  return [...(onward.length ? onward : tried)].sort((a, b) => away(a) - away(b))[0];
}

/** Return what the film shows of a start at a rate. */
function filmScene(start, rate) {
  return filmRuns(start).find(run => run.rate === rate);
}

/** Return the first step from which all that follows passes; null if none. */
function passesFrom(steps, passes) {
  const last = passes.lastIndexOf(false);
  return last + 1 < steps.length ? steps[last + 1] : null;
}

/** Return from which step on spread, dead rows and loss have left the usual. */
function whatMoves({ spread, dead, gap }) {
  const { steps, usual } = TRAINING_FILM;
  const base = filmScene(usual.start, usual.rate);
  return {
    spread: passesFrom(steps, spread.map((a, i) => Math.max(a / base.spread[i], base.spread[i] / a) >= 1.5)),
    dead: passesFrom(steps, dead.map((share, i) => share - base.dead[i] >= 0.1)),
    loss: passesFrom(gap.map((_, i) => 10 * i + 10), gap.map(loss => loss >= 0.05)),
  };
}

if (globalThis.HTMLElement) {
  const FRAME = 600;  // milliseconds between two looks of the film
  const STARTS = { "-4": "1/16", "-3": "1/8", "-2": "1/4", "-1": "1/2" };
  const startName = start => STARTS[Math.log2(start)] ?? String(start);
  const signed = x => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(3)}`;
  const percent = share => `${(100 * share).toFixed(0)}%`;
  const ended = now => (now < 500 ? "not yet" : "never");
  const fromStep = (step, now) => (step === null || step > now ? ended(now) : `step ${step}`);

  customElements.define("training-film", class extends Explorable {
    static title = "A film of training: loss, dead rows and spread, by start and learning rate";
    static controls = [
      {
        name: "start", label: "start α", min: -4, max: 4, step: 1, value: 2,
        toValue: x => 2 ** x, toPosition: Math.log2, show: startName,
      },
      {
        name: "rate", label: "learning rate", min: -1, max: 6, step: 1, value: 3,
        toValue: x => Number((0.001 * 2 ** x).toPrecision(3)), toPosition: rate => Math.log2(rate / 0.001),
        show: rate => String(rate),
      },
      { name: "step", label: "step", min: 20, max: 500, step: 40, value: 20, show: String },
    ];

    build(views) {
      // A film moves by itself; who wants nothing to move has the slider.
      this.play = htmlElement("button", { type: "button" }, "Play");
      this.play.addEventListener("click", () => this.roll());
      this.play.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.panel.querySelector(".explorable-tools").prepend(this.play);
      const panels = [["loss", 150], ["dead", 120], ["spread", 150]];
      this.plots = Object.fromEntries(panels.map(([name, height]) => [name, new Plot(views, { height, right: 66 })]));
      for (const name of ["loss", "dead"]) this.plots[name].margin.bottom = 26;
      for (const plot of Object.values(this.plots)) {
        dragAcross(plot, at => {
          const { left, right } = plot.margin;
          this.change({ ...this.state, step: 500 * (at - left) / (plot.width - left - right) });
        });
      }
    }

    /** Run through the steps from the first on, or stop. */
    roll() {
      if (this.rolling) {
        this.change(this.state);
        return;
      }
      this.play.textContent = "Stop";
      const { steps } = TRAINING_FILM;
      const looks = steps.slice(steps.indexOf(20));
      const show = () => {
        super.change({ ...this.state, step: looks.shift() });
        if (!looks.length) this.change(this.state);
      };
      this.rolling = setInterval(show, FRAME);
      show();
    }

    /** Take a new setting; a hand that sets one stops the film. */
    change(state) {
      clearInterval(this.rolling);
      this.rolling = null;
      this.play.textContent = "Play";
      super.change(state);
    }

    /** Keep to the starts, rates and steps that were looked at. */
    update() {
      const { start, rate, step } = this.state;
      const near = 2 ** Math.min(4, Math.max(-4, Math.round(Math.log2(start))));
      const tried = filmRate(near, rate, near === this.near ? this.rate : rate);
      [this.near, this.rate] = [near, tried];
      const looked = 20 + 40 * Math.min(12, Math.max(0, Math.round((step - 20) / 40)));
      this.state = { start: near, rate: tried, step: looked };
      super.update();
    }

    show({ start, rate, step }) {
      const { steps, usual } = TRAINING_FILM;
      const [run, base] = [filmScene(start, rate), filmScene(usual.start, usual.rate)];
      const tens = run.gap.map((_, i) => 10 * i + 5);
      const line = (xs, ys, more) => ({ points: xs.map((x, i) => [x, ys[i]]), ...more });
      const own = { role: "wrong", label: `start ${startName(start)}` };
      const grey = { role: "quiet", label: "usual" };
      const x = { min: 0, max: 500, label: "" };
      const rules = [{ x: step }];
      // What comes later is not shown: a reader is asked to guess it.
      const drawn = (xs, ys, more) => line(xs.filter(at => at <= step), ys, more);
      const edges = run.seeds > 1 ? [-1, 1].map(sign =>
        drawn(tens, run.gap.map((loss, i) => loss + sign * run.error[i]), { role: "wrong", faint: true })) : [];
      this.plots.loss.draw({
        x, y: { min: -0.3, max: 0.6, label: "loss above usual" }, rules,
        lines: [line([0, 500], [0, 0], grey), ...edges, drawn(tens, run.gap, own)],
      });
      this.plots.dead.draw({
        x, y: { min: 0, max: 1, label: "dead rows" }, rules,
        lines: [line(steps, base.dead, grey), drawn(steps, run.dead, own)],
      });
      this.plots.spread.draw({
        x: { ...x, label: "step" }, y: { min: 0.03, max: 130, log: true, label: "spread" }, rules,
        lines: [line(steps, base.spread, grey), drawn(steps, run.spread, own)],
      });
      return this.tell(run, base, steps.indexOf(step), { start, rate, step });
    }

    /** Write the numbers at a step, and what moved first. */
    tell(run, base, at, { start, rate, step }) {
      const gap = signed(run.gap[step / 10 - 1]);
      const moved = whatMoves(run);
      this.read([
        ["loss above usual", gap],
        ["dead rows (usual)", `${percent(run.dead[at])} (${percent(base.dead[at])})`],
        ["spread (usual)", `${run.spread[at].toFixed(2)} (${base.spread[at].toFixed(2)})`],
        ["spread apart from", fromStep(moved.spread, step)],
        ["dead rows from", fromStep(moved.dead, step)],
        ["loss behind from", fromStep(moved.loss, step)],
        ["best rate of this start", String(TRAINING_FILM.best[String(start)])],
        ["seeds", String(run.seeds)],
      ]);
      return `Start ${startName(start)} at the rate ${rate}, step ${step}: the loss is ${gap} nats from the usual,`
        + ` ${percent(run.dead[at])} of the rows are dead, the spread is ${run.spread[at].toFixed(2)}.`
        + ` Spread apart from ${fromStep(moved.spread, step)}, dead rows from ${fromStep(moved.dead, step)},`
        + ` loss behind from ${fromStep(moved.loss, step)}.`;
    }
  });
}
