// Reads a SARIF log on stdin and answers with what its authors' validator finds
// wrong with it, by the rules of the format and of code hosts: a list of rule,
// level and message.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const tool = createRequire(import.meta.url)(`@microsoft/sarif-multitool-${process.platform}`);
chmodSync(tool, 0o755);
const dir = mkdtempSync(join(tmpdir(), "sarif-"));
try {
  const [log, out, config] = ["log.sarif", "out.sarif", "config.xml"].map((name) => join(dir, name));
  writeFileSync(log, readFileSync(0));
  // This rule would fetch every address in the log.
  writeFileSync(
    config,
    `<?xml version="1.0" encoding="utf-8"?>
<Properties>
  <Properties Key="SARIF2006.UrisShouldBeReachable.Options">
    <Property Key="RuleEnabled" Value="Disabled" Type="Driver.RuleEnabledState" />
  </Properties>
</Properties>`,
  );
  const args = ["validate", log, "--output", out, "--config", config, "--rule-kind", "Sarif;Ghas", "--level", "Error;Warning;Note", "--quiet"];
  const ran = spawnSync(tool, args, { env: { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: "1" }, encoding: "utf8" });
  if (ran.error) throw ran.error;
  const { runs } = JSON.parse(readFileSync(out, "utf8"));
  const results = runs.flatMap(({ results = [], tool }) =>
    results.map((r) => {
      const rule = tool.driver.rules[r.ruleIndex];
      const words = r.message.text ?? rule.messageStrings[r.message.id].text;
      const message = words.replace(/\{(\d+)\}/g, (_, n) => r.message.arguments?.[n] ?? "");
      return { rule: r.ruleId, level: r.level ?? "warning", message };
    }),
  );
  const notes = runs.flatMap(({ invocations = [] }) => invocations.flatMap((i) => i.toolExecutionNotifications ?? []));
  const faults = notes.filter(({ level }) => level === "error").map((n) => ({ rule: "tool", level: "error", message: n.message.text }));
  process.stdout.write(JSON.stringify([...results, ...faults]));
} finally {
  rmSync(dir, { recursive: true });
}
