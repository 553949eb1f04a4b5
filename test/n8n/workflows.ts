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

/** Starts the workflow by a call, and answers it when the workflow has ended, or at once. */
export const byCall = (path: string, responseMode = "lastNode"): Step => ({
  name: "Start",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  parameters: { path, httpMethod: "POST", responseMode, responseData: "allEntries" },
  webhookId: path,
});

const to = (node: string | undefined) => [{ node, type: "main", index: 0 }];

/** A workflow of steps, one after the other; `backTo` names the step of a loop that the last one leads back to. */
export function workflow(id: string, steps: readonly Step[], backTo?: string): object {
  const nodes = steps.map(({ parameters = {}, typeVersion = 1, ...step }, i) => ({
    ...{ id: randomUUID(), position: [200 * i, 0], typeVersion, parameters },
    ...step,
  }));
  const followed = steps.slice(0, backTo ? undefined : -1);
  const connections = Object.fromEntries(
    followed.map(({ name }, i) => {
      const next = to(steps[i + 1]?.name ?? backTo);
      // The first output of a loop is for its end.
      return [name, { main: name === backTo ? [[], next] : [next] }];
    }),
  );
  return { id, name: id, active: false, nodes, connections, settings: { executionOrder: "v1" } };
}
