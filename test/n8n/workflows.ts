import { randomUUID } from "node:crypto";

export interface Step {
  name: string;
  type: string;
  typeVersion?: number;
  parameters?: object;
  credentials?: object;
  [setting: string]: unknown;
}

export const CREDENTIAL = "akimbo-token";

/** A step of the node under test. */
export const akimbo = (name: string, parameters: object, settings: object = {}): Step => ({
  name,
  type: "n8n-nodes-akimbo.akimbo",
  parameters: { authentication: "accessToken", ...parameters },
  credentials: { akimboApi: { id: CREDENTIAL, name: CREDENTIAL } },
  ...settings,
});

export const manually = (): Step => ({ name: "Start", type: "n8n-nodes-base.manualTrigger" });

/** Starts the workflow by a call, and answers it when the workflow has ended. */
export const byCall = (path: string): Step => ({
  name: "Start",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  parameters: { path, httpMethod: "POST", responseMode: "lastNode", responseData: "allEntries" },
  webhookId: path,
});

/** A workflow of steps, one after the other. */
export function workflow(id: string, steps: readonly Step[]): object {
  const nodes = steps.map(({ parameters = {}, typeVersion = 1, ...step }, i) => ({
    ...{ id: randomUUID(), position: [200 * i, 0], typeVersion, parameters },
    ...step,
  }));
  const connections = Object.fromEntries(
    steps
      .slice(1)
      .map(({ name }, i) => [steps[i]?.name, { main: [[{ node: name, type: "main", index: 0 }]] }]),
  );
  return { id, name: id, active: false, nodes, connections, settings: { executionOrder: "v1" } };
}
