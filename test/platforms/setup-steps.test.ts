import { beforeAll, describe, expect, test } from "vitest";
import { appKeyNames } from "../../src/core/app-keys.ts";
import { pastesOf, scopeRefusals, setupOf } from "../../src/features/setup/rules.ts";
import { reasonsOf } from "../../src/features/setup/words.ts";
import type { Connector } from "../../src/platforms/connector.ts";
import { connectors } from "../../src/platforms/registry.ts";
import type { SetupStep } from "../../src/platforms/setup-steps.ts";
import { Harness } from "../support/harness.ts";

const ORIGIN = "https://akimbo.example";
const SENTENCES = /^[A-Z“"`\d][\s\S]*[.:]$/;

describe.each(connectors().map((one): [string, Connector] => [one.platform, one]))(
  "the steps of %s",
  (platform, connector) => {
    const { needs, consent } = connector;
    let steps: readonly SetupStep[];

    beforeAll(async () => {
      steps = await connector.setupSteps();
    });

    test("have ids of their own, a page of the platform, and sentences", () => {
      const ids = steps.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id, title, todo, page, before, after, takes } of steps) {
        expect(id).toMatch(/^[a-z][a-z-]*$/);
        expect(title).toMatch(/^[A-Z].*[^.]$/);
        for (const text of [todo, before, after]) expect(text).toMatch(SENTENCES);
        if (takes !== undefined) expect(takes).toMatch(SENTENCES);
        expect(new URL(page).protocol).toBe("https:");
      }
    });

    test("begin with what everybody needs, up to the keys", () => {
      const keys = steps.findIndex(({ variables }) => variables);
      expect(keys >= 0).toBe(needs.app !== null || needs.key !== undefined);
      for (const step of steps.slice(0, keys + 1)) expect(step.neededFor).toBe("everybody");
    });

    test("register every address, set every variable, and switch on every scope", () => {
      const pasted = steps.flatMap((step) => pastesOf(step, connector.platform, ORIGIN));
      const urls = pasted.map(({ url }) => url);
      for (const { url } of setupOf(connector, ORIGIN).addresses) expect(urls).toContain(url);
      for (const { field } of pasted) expect(field).not.toBe("");
      const variables = steps.flatMap((step) => step.variables ?? []);
      if (needs.app !== null) {
        expect(variables).toEqual(expect.arrayContaining(appKeyNames(connector.platform)));
      }
      if (needs.key) expect(variables).toContain(needs.key.variable);
      const scopes = steps.flatMap((step) => step.scopes ?? []);
      for (const scope of consent?.required ?? []) expect(scopes).toContain(scope);
      for (const scope of needs.scopes) expect(scopes).toContain(scope);
    });

    test("name only permissions that APP_SCOPES takes", () => {
      for (const { todo } of steps) {
        for (const [json] of todo.matchAll(/\{"\w+":\[[^\]]*\]\}/g)) {
          expect(scopeRefusals(connector, JSON.parse(json))).toEqual([]);
        }
      }
    });

    test("are confirmed by the platform only where it can be asked", () => {
      const checked = steps.filter(({ isChecked }) => isChecked);
      for (const { variables } of checked) expect(variables).toHaveLength(2);
      expect(checked.length > 0).toBe(connector.checkApp !== undefined && platform !== "instagram");
    });

    test("say which step ends what the app cannot do before", () => {
      const ending = steps.filter(({ endsLimits }) => endsLimits);
      expect(ending).toHaveLength(connector.untilAudit ? 1 : 0);
    });

    test("say for each review what to send, with a reason of its own for each scope", () => {
      for (const { submission } of steps) {
        if (!submission) continue;
        expect(submission.purpose).toMatch(SENTENCES);
        expect(submission.asks.length).toBeGreaterThan(0);
        const reasons = reasonsOf(connector, submission).map(({ reason }) => reason);
        expect(reasons.length).toBeGreaterThan(0);
        expect(new Set(reasons).size).toBe(reasons.length);
        for (const reason of reasons) expect(reason).toMatch(SENTENCES);
      }
    });

    test("record the consent of the platform, and its own result", () => {
      for (const { submission } of steps) {
        const scenes = submission?.recording ?? [];
        if (scenes.length === 0) continue;
        expect(scenes.filter(({ page }) => page === null).length).toBeGreaterThanOrEqual(2);
        for (const { show } of scenes) expect(show).toMatch(SENTENCES);
      }
    });
  },
);

test("a recording names calls of the reference by their titles", async () => {
  const { body } = await new Harness().call("GET", "/openapi.json");
  const operations = Object.values<Record<string, { summary?: string }>>(body.paths);
  const summaries = operations.flatMap((one) => Object.values(one).map(({ summary }) => summary));
  const steps = await Promise.all(connectors().map((one) => one.setupSteps()));
  const titles = steps
    .flat()
    .flatMap(({ submission }) => submission?.recording ?? [])
    .flatMap(({ page, show }) => (page === "/docs" ? [/^Open "([^"]+)"/.exec(show)?.[1]] : []));
  expect(titles.length).toBeGreaterThan(9);
  for (const title of titles) expect(summaries).toContain(title);
});
