// Reads a page on stdin and answers with what axe-core finds wrong in it, one
// line each. Colours are left out: nothing is drawn here.
import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";
import axe from "axe-core";

const { window } = new JSDOM(readFileSync(0, "utf8"), { runScripts: "outside-only" });
window.eval(axe.source);
const found = await window.axe.run(window.document, { rules: { "color-contrast": { enabled: false } } });
for (const v of found.violations) {
  for (const n of v.nodes) console.log(`${v.id}: ${v.help}: ${n.html}`);
}
process.stdout.write(`passed: ${found.passes.length}\n`);
