// A sink, a sigmoid and a cap, in rows of n independent normal scores: three
// averages, of which one number brings two back when the text grows.

const BALANCED_AT = 4096;  // keys, at the scale 1
const BALANCED_LOGIT = Math.log(BALANCED_AT) + 0.5;

/** Return the mean sum of sigmoids of n logits at a scale, with a bias. */
function sigmoidSum(n, scale, bias) {
  const step = 0.01;
  let sum = 0;
  for (let s = -10; s < 10; s += step) {
    sum += Math.exp(-s * s / 2) / (1 + Math.exp(-scale * s - bias));
  }
  return n * sum * step / Math.sqrt(2 * Math.PI);
}

/** Return what the logit of a sink must gain since 4096 keys at the scale 1. */
function neededShift(n, alpha) {
  return Math.log(n / BALANCED_AT) + (alpha * alpha - 1) / 2;
}

/** Return the three averages, and the gradient without the cap. */
function addedNumbers({ n, alpha, shift, cap }) {
  const logit = BALANCED_LOGIT + shift;
  return {
    sink: exactRow(n, alpha, Infinity, logit).sink,
    sum: sigmoidSum(n, alpha, -logit),
    behind: exactRow(n, alpha, cap).gradientNorm,
    free: exactRow(n, alpha).gradientNorm,
  };
}

/** Return where a positive number lies between two others, by its logarithm. */
function shareOfLog(value, low, high) {
  return Math.log(value / low) / Math.log(high / low);
}

const ADDED_STEPS = {
  "32 times the text": () => ({ n: 32 * BALANCED_AT }),
  "twice the scale, cap 5": () => ({ alpha: 2, cap: 5 }),
  "what the law asks": ({ n, alpha }) => ({ shift: Math.round(10 * neededShift(n, alpha)) / 10 }),
};

// where the text of a mark stands
const ABOVE = top => ({ y: top - 4 });
const BESIDE = top => ({ y: top + 14 });

if (globalThis.HTMLElement) {
  customElements.define("added-row", class extends Explorable {
    static title = "A sink, a sigmoid and a cap as the text grows";
    static columns = "repeat(auto-fit, minmax(8rem, 1fr))";
    static controls = [
      {
        name: "n", label: "longer text", min: 7, max: 17, step: 1, value: 12,
        toValue: x => 2 ** Math.round(x), toPosition: Math.log2,
        show: n => `${n.toLocaleString("en")} keys`,
      },
      {
        name: "alpha", label: "scale α", min: 0.5, max: 6, step: 0.1, value: 1,
        show: alpha => alpha.toFixed(1),
      },
      {
        name: "shift", label: "add to the sink", min: -4, max: 20, step: 0.1, value: 0,
        show: shift => shift.toFixed(1).replace("-", "−"),
      },
      {
        name: "cap", label: "cap c", min: 2, max: 100, step: 1, value: 50, show: String,
      },
    ];

    build(views) {
      this.svg = svgElement("svg", {
        class: "explorable-plot", "aria-hidden": true, focusable: false, height: 156,
      }, views);
      const buttons = Object.entries(ADDED_STEPS).map(([name, step]) => {
        const button = htmlElement("button", { type: "button" }, name);
        button.addEventListener("click", () => this.change({ ...this.state, ...step(this.state) }));
        return button;
      });
      views.after(htmlElement("p", { class: "row-steps" }, ...buttons));
      this.law = buttons.at(-1);
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: 2 ** Math.round(Math.log2(state.n)) };
    }

    /** Draw a bar below its name, and a mark with a text. */
    gauge(i, name, share, [at, text, role, place]) {
      const [top, right] = [52 * i + 18, this.svg.parentElement.clientWidth - 4];
      const x = part => 2 + (right - 2) * Math.min(1, Math.max(0, part));
      svgElement("text", { x: 2, y: top - 4 }, this.svg, name);
      svgElement("rect", {
        class: "role-theory filled", x: 2, y: top, height: 18, width: x(share) - 2,
      }, this.svg);
      svgElement("path", { class: `role-${role}`, d: `M${x(at)} ${top - 2}V${top + 22}` }, this.svg);
      svgElement("text", { class: `role-${role}`, x: x(at) + 4, ...place(top) }, this.svg, text);
    }

    show(state) {
      const { sink, sum, behind, free } = addedNumbers(state);
      this.svg.setAttribute("viewBox", `0 0 ${this.svg.parentElement.clientWidth} 156`);
      this.svg.replaceChildren();
      this.gauge(0, "weight of the sink", sink, [0.5, "½", "practice", ABOVE]);
      this.gauge(1, "sum of the sigmoids", shareOfLog(sum, 1e-3, 1e3), [0.5, "1", "practice", ABOVE]);
      this.gauge(2, "mean gradient, capped", behind / 5, [free / 5, "no cap", "wrong", BESIDE]);
      this.law.hidden = state.shift === 0; // the reader is to try first
      const law = neededShift(state.n, state.alpha).toFixed(2).replace("-", "−");
      const total = sum < 1000 ? sum.toPrecision(3) : Math.round(sum).toLocaleString("en");
      this.read([
        ["weight of the sink", `${(100 * sink).toFixed(1)}%`],
        ["sigmoids’ sum", total],
        ["gradient, capped", behind.toFixed(3)],
        ["gradient, no cap", free.toFixed(3)],
      ]);
      return `Among ${state.n} keys at the scale ${state.alpha} the sink has ${(100 * sink).toFixed(1)}%`
        + ` of the weight, and the sigmoids sum to ${total}. The law asks for ${law}.`
        + ` Behind the cap the mean gradient is ${behind.toFixed(2)}, without it ${free.toFixed(2)}.`;
    }
  });
}
