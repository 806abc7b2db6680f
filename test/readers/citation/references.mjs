// Reads lists of references on stdin, each with the form it is in, and answers
// with what citation-js takes each for, as CSL-JSON.
import { readFileSync } from "node:fs";
import { Cite, plugins } from "@citation-js/core";
import "@citation-js/plugin-bibtex";
import "@citation-js/plugin-csl";
import "@citation-js/plugin-ris";

const forms = { bib: "@bibtex/text", "csl-json": "@csl/list+object", ris: "@ris/file" };
plugins.config.get("@bibtex").parse.sentenceCase = "never";
const lists = JSON.parse(readFileSync(0, "utf8"));
const answers = lists.map(({ form, text }) => {
  const input = form === "csl-json" ? JSON.parse(text) : text;
  return new Cite(input, { forceType: forms[form] }).data;
});
process.stdout.write(JSON.stringify(answers));
