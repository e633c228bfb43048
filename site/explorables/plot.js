// A small plot in SVG: axes with ticks, lines, points and labels. It is drawn
// anew for each setting, in the pixels it has, so that text keeps its size.

/** Return at most `count` round numbers from lowest to highest. */
function roundTicks(lowest, highest, count) {
  const rough = (highest - lowest) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(m => m * power >= rough * (1 - 1e-9));
  const first = Math.ceil(lowest / step - 1e-9);
  const last = Math.floor(highest / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)));
}

/** Return powers of ten from lowest to highest, at most `count` of them. */
function decadeTicks(lowest, highest, count) {
  const first = Math.ceil(Math.log10(lowest) - 1e-9);
  const last = Math.floor(Math.log10(highest) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / count));
  const ticks = [];
  for (let power = first; power <= last; power += step) ticks.push(10 ** power);
  return ticks;
}

/** Write a power of ten with raised digits, small ones in full. */
function tickText(value, log) {
  if (!log || value < 1000) return String(value).replace("-", "−");
  const raised = [...String(Math.round(Math.log10(value)))].map(d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);
  return `10${raised.join("")}`;
}

/**
 * Move labels apart that are closer than a gap, keeping their order and as
 * near to where they belong as they can be, from `low` to `high`.
 */
function spread(positions, gap, low = -Infinity, high = Infinity) {
  const order = positions.map((y, i) => [y, i]).sort((a, b) => a[0] - b[0]);
  // Without the gaps they must not fall: groups that would take their mean.
  const groups = [];
  order.forEach(([y], rank) => {
    let group = { sum: y - rank * gap, count: 1 };
    while (groups.length && groups.at(-1).sum / groups.at(-1).count >= group.sum / group.count) {
      const { sum, count } = groups.pop();
      group = { sum: sum + group.sum, count: count + group.count };
    }
    groups.push(group);
  });
  const last = high - (order.length - 1) * gap;
  const means = groups.flatMap(({ sum, count }) => Array(count).fill(sum / count));
  const result = [];
  order.forEach(([, i], rank) => {
    result[i] = Math.max(low, Math.min(last, means[rank])) + rank * gap;
  });
  return result;
}

/** Return a new SVG element with attributes, in a parent if one is given. */
function svgElement(name, attributes = {}, parent = null, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  // In α_c the c is lowered.
  text.split(/_(\w)/).forEach((piece, i, { length }) => {
    if (length === 1) element.append(piece);
    else if (i % 2) svgElement("tspan", { dy: 3, "font-size": "75%" }, element).append(piece);
    else if (piece) svgElement("tspan", i ? { dy: -3 } : {}, element).append(piece);
  });
  parent?.append(element);
  return element;
}

/** Return the classes that draw a line in its role and style. */
function lineClass({ role, ...styles }) {
  return [`role-${role}`, ...["dashed", "dotted", "faint"].filter(s => styles[s])].join(" ");
}

/** A plot in a parent; `draw` shows axes, lines, points and rules. */
class Plot {
  // For the words at the axes: below, at the left, above, at the right.
  margin = { bottom: 40, left: 52, top: 14, right: 14 };

  constructor(parent, { height = 300, right = 14 } = {}) {
    this.parent = parent;
    this.height = height;
    this.margin.right = right;
    // What it shows is said by the readings and the status sentence.
    this.svg = svgElement("svg", {
      class: "explorable-plot", "aria-hidden": true, focusable: false,
    }, parent);
    // To ask while drawing would cost a layout of the page.
    new ResizeObserver(() => { this.room = parent.clientWidth; }).observe(parent);
  }

  /**
   * Draw. x, y: {min, max, log, label}; lines: [{points: [[x, y]…], role,
   * label, dashed, dotted, faint}]; points: [{at: [x, y], role, open}];
   * rules: [{x, label}] are vertical guides; texts: [{at: [x, y], role, text,
   * below, end}] are words, so many pixels below a point, or ending there.
   * Roles are the figures' colours.
   */
  draw({ x, y, lines = [], points = [], rules = [], texts = [] }) {
    const width = this.width = Math.max(240, this.room ?? this.parent.clientWidth);
    const { height, margin, svg } = this;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.replaceChildren();
    this.x = this.scale(x, margin.left, width - margin.right);
    this.y = this.scale(y, height - margin.bottom, margin.top);
    this.axes(x, y);
    for (const rule of rules) this.rule(rule);
    // What runs out of the frame is cut at its edge, not moved onto it.
    const id = (this.frame ??= `frame-${Plot.count = (Plot.count ?? 0) + 1}`);
    const clip = svgElement("clipPath", { id }, svg);
    svgElement("rect", {
      x: margin.left, y: margin.top - 2, width: width - margin.left - margin.right,
      height: height - margin.bottom - margin.top + 4,
    }, clip);
    for (const line of lines) {
      const path = line.points.map(([a, b]) => `${this.x(a).toFixed(1)},${this.y(b).toFixed(1)}`);
      svgElement("polyline", {
        points: path.join(" "), fill: "none", "clip-path": `url(#${id})`,
        class: lineClass(line),
      }, svg);
    }
    const named = lines.filter(line => line.label);
    const ends = named.map(line => line.points.at(-1));
    const heights = spread(ends.map(end => this.y(Math.min(y.max, Math.max(y.min, end[1])))),
      15, margin.top, height - margin.bottom);
    named.forEach((line, i) => svgElement("text", {
      x: this.x(ends[i][0]) + 6, y: heights[i] + 4, class: `role-${line.role}`,
    }, svg, line.label));
    for (const point of points) this.point(point);
    for (const { at: [a, b], role, text, below = 0, end } of texts) {
      svgElement("text", {
        x: this.x(a), y: this.y(b) + below, class: `role-${role}`,
        "text-anchor": end ? "end" : "start",
      }, svg, text);
    }
  }

  /** Return the function from values to pixels. */
  scale({ min, max, log }, from, to) {
    const f = log ? Math.log : Number;
    const slope = (to - from) / (f(max) - f(min));
    return value => from + slope * (f(value) - f(min));
  }

  axes(x, y) {
    const { height, margin, svg, width } = this;
    const bottom = height - margin.bottom;
    const end = width - margin.right;
    svgElement("path", {
      class: "axis", d: `M${margin.left},${margin.top}V${bottom}H${end}`,
    }, svg);
    const ticks = ({ min, max, log }, count) =>
      (log ? decadeTicks : roundTicks)(min, max, count);
    for (const value of ticks(x, Math.max(4, Math.floor(width / 80)))) {
      const at = this.x(value);
      svgElement("path", { class: "axis", d: `M${at},${bottom}v5` }, svg);
      svgElement("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, svg,
        tickText(value, x.log));
    }
    for (const value of ticks(y, 5)) {
      const at = this.y(value);
      svgElement("path", { class: "axis", d: `M${margin.left},${at}h-5` }, svg);
      svgElement("text", { x: margin.left - 8, y: at + 4, "text-anchor": "end" }, svg,
        tickText(value, y.log));
    }
    svgElement("text", { x: (margin.left + end) / 2, y: height - 4, "text-anchor": "middle" },
      svg, x.label);
    svgElement("text", {
      transform: `translate(13 ${(margin.top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle",
    }, svg, y.label);
  }

  rule({ x, label, role = "quiet" }) {
    const at = this.x(x);
    const { height, margin, svg } = this;
    svgElement("path", { class: `role-${role} dotted`, d: `M${at},${margin.top}V${height - margin.bottom}` }, svg);
    if (!label) return;
    // At the left where there is no room at the right; to measure the text
    // would cost a layout of the page.
    const fits = at + 8 * label.length < this.width - margin.right;
    svgElement("text", {
      x: fits ? at + 4 : at - 4, y: margin.top + 8, class: `role-${role}`,
      "text-anchor": fits ? "start" : "end",
    }, svg, label);
  }

  point({ at: [a, b], role, open }) {
    const [cx, cy] = [this.x(a), this.y(b)];
    svgElement("circle", { cx, cy, r: 5, class: `role-${role} ${open ? "open" : "filled"}` }, this.svg);
  }
}
