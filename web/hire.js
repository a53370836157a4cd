/* Who answers questions to the core (worker.js): a worker or, until one has started, a recording. */

/* The module comes after this script in the page. */
const parsed = new Promise((done) => on(document, "DOMContentLoaded", done));
let compiled;

async function hire() {
  const script = `const answer = (${startCore})();
      onmessage = ({ data }) => {
        const done = answer(data);
        postMessage(done, done.places ? [done.places.buffer] : []);
      };`,
    made = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  made.waiting = [];
  made.onmessage = ({ data }) => made.waiting.shift()(data);
  made.onerror = (event) => {
    say(`the core has ended: ${event.message}`);
    play(false);
  };
  await parsed;
  compiled ??= WebAssembly.compileStreaming(inflate(byId("module").textContent));
  ask({ call: "start", module: await compiled }, made);
  return made;
}

/* Answers with the first steps of the default preset, which build.py has recorded. A word has x, y and the way along both axes of an
 * agent, whose way is straight. */
const recorded = JSON.parse(byId("recording").textContent);
recorded.words = new Int32Array(bytesOf(recorded.words).buffer);
const recording = {
  waiting: [],
  postMessage({ count = 0 }) {
    const { width, height, last, words, answer } = recorded,
      step = Math.min(last, state.step + count),
      { length } = words,
      places = new Float32Array(4 * length);
    words.forEach((word, i) => {
      const dx = (word << 5) >> 27,
        dy = word >> 27;
      places[i] = ((word & 2047) + (dx * step) / 3 + width) % width;
      places[length + i] = (((word >> 11) & 1023) + (dy * step) / 3 + height) % height;
      places[2 * length + i] = Math.atan2(dy, dx);
    });
    this.waiting.shift()({ ...answer, made: count, step, places });
  },
};
let worker = recording;

/* The answer to a question; null if another worker has replaced this one. The answers come in the order of the questions. */
const ask = (question, asked = worker) =>
  new Promise((done) => {
    asked.waiting.push(done);
    asked.postMessage(question);
  });

const nextFrame = () => new Promise(requestAnimationFrame);

/* Go on with a worker, which makes the recorded steps, too, when all of them were shown. */
async function goOnWith(made) {
  ask({ call: "load", json: state.text, file: FILE }, made);
  const answer = await ask(
    {
      call: "step",
      count: state.isPlaying && recorded.last,
      patience: Infinity,
      names: namesShown(),
    },
    made,
  );
  while (state.drawn < answer.step || view.picture) await nextFrame();
  worker = made;
  take(answer);
  view.detail = 1;
  setTrails(true);
}
