// `make bench-firmware CONFIG=...`: how fast a configuration runs on the board, from a run in the emulator.

import { runImage, ramOf } from "./native.mjs";

const { CONFIG, SET, CORES, CLOCK, PACE, STEPS } = process.env;
const pulses = Number(PACE) > 0 ? Math.ceil(1e6 / 16800 / Number(PACE)) : 1;
const variant = {
  config: CONFIG,
  set: SET ? SET.split(" ") : [],
  cores: CORES,
  clock: CLOCK,
  pace: PACE,
};

function print({ image, mhz, median, worst, late, pictures }) {
  const rate = (cycles) =>
    `${cycles} cycles, ${((mhz * 1e6) / cycles).toFixed(1)} steps per second`;
  console.log(`median step  ${rate(median)}`);
  console.log(`worst step   ${rate(worst)}`);
  console.log(
    `late frames  ${late} of ${pictures}, one frame every ${pulses} sync pulse${pulses > 1 ? "s" : ""}`,
  );
  console.log(`RAM          ${ramOf(image)} bytes of 262144`);
}

try {
  print(runImage("speed", variant, STEPS, [], pulses));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
