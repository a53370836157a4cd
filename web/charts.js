/* Observables: their samples and charts, whose elements build.py makes. */

const charts = document.querySelectorAll(".chart");

/* Keep the measured values. When there are many samples, every second one is dropped. */
function addSample(sample) {
  const { samples } = state;
  if (samples.at(-1)?.step === sample.step) samples.pop();
  samples.push(sample);
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
function drawChart(chart) {
  const { name, unit, share, undefined: when } = chart.dataset,
    [title, picture] = chart.children,
    { clientWidth: width, clientHeight: height } = picture,
    { samples } = state;
  const points = samples.filter((sample) => Number.isFinite(sample[name])),
    values = points.map((sample) => sample[name]),
    now = samples.at(-1),
    value = now[name],
    text = Number.isFinite(value) ? `${shortOf(value)} ${unit}`.trim() : `undefined ${when}`;
  title.lastChild.textContent = text;
  picture.ariaLabel = `${nameOf(name)} against the step: now ${text}`;
  if (values.length === 0) return picture.replaceChildren();
  const low = share ? 0 : Math.min(...values),
    high = share ? 1 : Math.max(...values, low + 4e-3 * Math.abs(low), low + 1e-12);
  const first = samples[0].step,
    last = Math.max(first + 1, now.step),
    left = 48,
    bottom = height - 18,
    right = width - 48;
  const x = (step) => left + ((step - first) / (last - first)) * (right - left),
    y = (v) => bottom - ((v - low) / (high - low)) * (bottom - 8);
  const rows = ticksOf(low, high).map(
      (tick) =>
        `<text x="${left - 4}" y="${y(tick)}">${shortOf(tick)}</text><path d="M${left} ${y(tick)}h4"/>`,
    ),
    columns = ticksOf(first, last).map(
      (tick) =>
        `<text class="column" x="${x(tick)}" y="${height - 8}">${shortOf(tick)}</text><path d="M${x(tick)} ${bottom}v-4"/>`,
    );
  const line = points.map((sample) => `${x(sample.step).toFixed(1)},${y(sample[name]).toFixed(1)}`);
  picture.innerHTML = `<path d="M${left} 8H${right}V${bottom}H${left}z"/>${rows.join("")}${columns.join("")}
    <text x="${width}" y="${height - 8}">step</text><polyline points="${line.join(" ")}"/>`;
}
