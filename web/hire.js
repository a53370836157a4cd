/* Who answers questions to the core (worker.js). */

const compiled = (async () =>
  WebAssembly.compileStreaming(inflate(byId("module").textContent, "application/wasm")))();
let module;
/* The page itself, for the first pictures: it takes 40 ms to start a worker. */
let worker = {
  waiting: [],
  answer: startCore(),
  postMessage(question) {
    this.waiting.shift()(this.answer(question));
  },
  terminate() {},
};

function hire() {
  const script = `const answer = (${startCore})();
      onmessage = ({ data }) => {
        const done = answer(data);
        postMessage(done, done.places ? [done.places.buffer] : []);
      };`,
    made = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  made.waiting = [];
  made.onmessage = ({ data }) => made.waiting.shift()(data);
  made.onerror = (event) => {
    say("the core has ended: " + event.message);
    play(false);
  };
  ask({ call: "start", module }, made);
  return made;
}

/* The answer to a question; null if another worker has replaced this one. The answers come in the order of the questions. */
const ask = (question, asked = worker) =>
  new Promise((done) => {
    asked.waiting.push(done);
    asked.postMessage(question);
  });

function replace(other) {
  worker.terminate();
  for (const done of worker.waiting) done(null);
  worker = other;
}

/* Move the run from the page to a worker, which first makes the same steps. */
async function moveToWorker() {
  const made = hire(),
    about = ask({ call: "about" }, made);
  let step = 0;
  ask({ call: "load", json: state.text, file: FILE }, made);
  makeControls(await about);
  while (step < state.step) {
    const count = state.step - step;
    ({ step } = await ask({ call: "step", count, patience: Infinity }, made));
  }
  replace(made);
}
