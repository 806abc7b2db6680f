// Reads a list of references on stdin, in the form the first argument names,
// and answers with what citation-js takes it for, as CSL-JSON.
import { readFileSync } from "node:fs";
import { Cite, plugins } from "@citation-js/core";
import "@citation-js/plugin-bibtex";
import "@citation-js/plugin-csl";
import "@citation-js/plugin-ris";

const form = { bib: "@bibtex/text", "csl-json": "@csl/list+object", ris: "@ris/file" }[process.argv[2]];
plugins.config.get("@bibtex").parse.sentenceCase = "never";
const text = readFileSync(0, "utf8");
const input = process.argv[2] === "csl-json" ? JSON.parse(text) : text;
const cite = new Cite(input, { forceType: form });
const html = cite.format("bibliography", { format: "text", template: "apa" });
process.stdout.write(JSON.stringify({ items: cite.data, formatted: html }));
