// Weights as bars, below a plot and as wide as it.

const BARS = 120;  // their height, in pixels

/** Return what bars are drawn into. */
function barsElement(parent) {
  return svgElement("svg", {
    class: "explorable-plot", "aria-hidden": true, focusable: false, height: BARS,
  }, parent);
}

/** Draw weights as bars, a dashed line at a level, and words above them. */
function drawBars(svg, { margin, width }, weights, level, says) {
  svg.setAttribute("viewBox", `0 0 ${width} ${BARS}`);
  svg.replaceChildren();
  const [left, right, floor] = [margin.left, width - margin.right, BARS - 4];
  const step = (right - left) / weights.length;
  const y = weight => floor - (floor - 20) * weight;
  weights.forEach((weight, i) => svgElement("rect", {
    class: "role-theory filled", x: left + i * step, width: step - 2,
    y: y(weight), height: floor - y(weight),
  }, svg));
  svgElement("path", { class: "role-quiet dashed", d: `M${left} ${y(level)}H${right}` }, svg);
  svgElement("text", { x: right, y: 14, "text-anchor": "end", class: "role-quiet" }, svg, says);
}
