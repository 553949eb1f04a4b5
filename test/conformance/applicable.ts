/** The scenarios of the suite that a server of tools alone, which answers in JSON and keeps no session, can meet. */
const APPLICABLE = new Set([
  "server-initialize",
  "server-session-lifecycle",
  "ping",
  "tools-list",
  "tools-call-simple-text",
  "tools-call-error",
  "server-stateless",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
]);

const OWN_TOOLS = "calls a tool that only the suite's own server has";
const TEXT_ALONE = "every tool answers with text and structure";

/** Beginnings of the names of all other scenarios, and why they say nothing about us. */
const NOT_APPLICABLE: readonly [RegExp, string][] = [
  [/^(resources-|sep-2164-)/, "there are no resources"],
  [/^prompts-/, "there are no prompts"],
  [/^completion-/, "there are no completions"],
  [/^logging-/, "there is no logging by protocol"],
  [/^tasks-/, "the tasks extension is not offered"],
  [/^(input-required-|sep-2322-)/, "no tool asks its caller back"],
  [/^(elicitation-|tools-call-(elicitation|sampling))/, "no tool asks its caller back"],
  [/^tools-call-with-(logging|progress)/, "every call has one answer, in JSON"],
  [/^tools-call-(image|audio|embedded-resource|mixed-content)/, TEXT_ALONE],
  [/^json-schema-/, OWN_TOOLS],
  [/^http-custom-header-/, "no argument goes into a header"],
  [/^server-sse-polling/, "there are no streams"],
];

/** Checks within applicable scenarios that are about something else, and why. */
const EXEMPT: Record<string, string> = {
  "sep-2549-prompts-list-caching-hints": "there are no prompts",
  "sep-2549-resources-list-caching-hints": "there are no resources",
  "sep-2549-resources-templates-list-caching-hints": "there are no resources",
  "sep-2549-resources-read-caching-hints": "there are no resources",
  "sep-2575-server-rejects-undeclared-capability": OWN_TOOLS,
  "sep-2575-missing-capability-http-400": OWN_TOOLS,
  "sep-2575-http-server-no-independent-requests-on-stream": OWN_TOOLS,
  "sep-2575-server-no-log-without-loglevel": OWN_TOOLS,
  "server-sse-multiple-streams-session": "there are no sessions",
};

/** Says why a scenario is left out; null for one that has to pass. A scenario nobody has judged has to pass too. */
export const reasonToSkip = (scenario: string): string | null =>
  APPLICABLE.has(scenario)
    ? null
    : (NOT_APPLICABLE.find(([name]) => name.test(scenario))?.[1] ?? null);

/** As `reasonToSkip`, for a check within a scenario. */
export const reasonToExempt = (check: string): string | null => EXEMPT[check] ?? null;
