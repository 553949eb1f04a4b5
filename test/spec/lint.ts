import { formatProblems, getTotals, lintFromString, loadConfig } from "@redocly/openapi-core";
import { readDocument } from "../../src/cli/openapi.ts";
import { inProject } from "../../src/cli/paths.ts";

/** Ends with code 1 where the OpenAPI document breaks a rule of `.redocly.yaml`. */
const config = await loadConfig({ configPath: inProject(".redocly.yaml") });
const problems = await lintFromString({
  source: await readDocument(),
  absoluteRef: "openapi.json",
  config,
});
if (problems.length > 0) {
  formatProblems(problems, { totals: getTotals(problems), cwd: inProject(), version: "" });
  process.exitCode = 1;
} else {
  console.log("The OpenAPI document keeps the rules.");
}
