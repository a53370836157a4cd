/* Observables: their samples and charts. */

const isShown = ({ name }) => byId("show-" + name).checked;

/* Keep the measured values. When there are many samples, every second one is dropped. */
function addSample({ step, values }) {
  const { samples } = state;
  if (samples.at(-1)?.[0] === step) samples.pop();
  samples.push([step, ...observables.map(({ name }) => values[name] ?? NaN)]);
  if (samples.length > SAMPLES) state.samples = samples.filter((_, k) => k % 2 === 0);
}

const shortOf = (value) => String(Number(value.toPrecision(4)));

function ticksOf(low, high) {
  const step = niceStep((high - low) / 2 || 1),
    first = Math.ceil(low / step - 1e-9);
  return Array.from(
    { length: Math.floor(high / step + 1e-9) - first + 1 },
    (_, k) => (first + k) * step,
  );
}

/* An observable against the step. */
function drawChart({ name, unit, is_share, undefined: when }, column) {
  const chart = byId("chart-" + name),
    scale = Math.min(2, devicePixelRatio),
    width = chart.clientWidth,
    height = chart.clientHeight;
  const points = state.samples.filter((sample) => Number.isFinite(sample[column])),
    values = points.map((sample) => sample[column]);
  const value = state.samples.at(-1)[column],
    text = Number.isFinite(value) ? shortOf(value) : `undefined ${when}`;
  byId("value-" + name).textContent = text + (Number.isFinite(value) && unit ? " " + unit : "");
  chart.ariaLabel = `${nameOf(name)} against the step: now ${byId("value-" + name).textContent}`;
  if (chart.width !== width * scale || chart.height !== height * scale)
    Object.assign(chart, { width: width * scale, height: height * scale });
  const pen = chart.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  if (values.length === 0) return;
  const low = is_share ? 0 : Math.min(...values),
    high = is_share ? 1 : Math.max(...values, low + 1e-6 * Math.abs(low), low + 1e-12);
  const first = state.samples[0][0],
    last = Math.max(first + 1, state.samples.at(-1)[0]);
  Object.assign(pen, {
    font: "11px system-ui, sans-serif",
    fillStyle: view.paint.text,
    strokeStyle: view.paint.box,
    textBaseline: "middle",
    textAlign: "right",
  });
  const rows = ticksOf(low, high),
    left = 8 + Math.max(...rows.map((tick) => pen.measureText(shortOf(tick)).width)),
    bottom = height - 18,
    right = width - 32;
  const x = (step) => left + ((step - first) / (last - first)) * (right - left),
    y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 8);
  pen.strokeRect(left, 8, right - left, bottom - 8);
  pen.fillText("step", width, height - 8);
  for (const tick of rows) {
    pen.fillText(shortOf(tick), left - 4, y(tick));
    pen.fillRect(left, y(tick), 4, 1);
  }
  pen.textAlign = "center";
  for (const tick of ticksOf(first, last)) {
    pen.fillText(shortOf(tick), x(tick), height - 8);
    pen.fillRect(x(tick), bottom - 4, 1, 4);
  }
  pen.strokeStyle = view.paint.accent;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const sample of points) pen.lineTo(x(sample[0]), y(sample[column]));
  pen.stroke();
}
