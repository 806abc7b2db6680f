// Answers each line {"file","agent","path"} on stdin with true or false, as
// robots-parser has it.
import { createInterface } from "node:readline";
import robotsParser from "robots-parser";

for await (const line of createInterface({ input: process.stdin })) {
  const { file, agent, path } = JSON.parse(line);
  const rules = robotsParser("http://a.example/robots.txt", file);
  console.log(rules.isAllowed("http://a.example" + path, agent));
}
