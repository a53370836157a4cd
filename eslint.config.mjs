/* What `make lint` checks in JavaScript. The scripts of a page share one scope, so each of them sees the names of the others. */
import { readFileSync, readdirSync } from "node:fs";
import js from "@eslint/js";
import globals from "globals";

const SHARED = ["drawing", "common"].map((name) => `python/boids/drawing/${name}.js`);
const web = readdirSync("web").map((name) => `web/${name}`);
const pages = [
  [...SHARED, ...web.filter((path) => path.endsWith(".js"))],
  [...SHARED, "python/boids/drawing/player.js"],
];
const NAME = /^(?:const|let|class|async function|function) (\w+)/gm;
const names = (path) => [...readFileSync(path, "utf8").matchAll(NAME)].map(([, name]) => name);

const settings = (files, known) => ({
  files,
  languageOptions: {
    sourceType: "script",
    globals: { ...known, ...Object.fromEntries(files.flatMap(names).map((name) => [name, true])) },
  },
});

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-redeclare": "off",
      "no-unused-vars": ["error", { vars: "local" }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  ...pages.map((files) => settings(files, { ...globals.browser, RINGS: false })),
];
