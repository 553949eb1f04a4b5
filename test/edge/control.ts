import type { State } from "./account.ts";
import type { Api, Route, SeenCall } from "./api.ts";
import type { QueueBroker } from "./queue-broker.ts";
import { runSchedules } from "./schedules.ts";
import { type LoggedError, readErrors } from "./stack.ts";

export interface Controlled {
  broker: QueueBroker;
  api: Api | null;
}

/** What tests ask of the stand-in that Cloudflare has no call for. `start.ts` has a method for each. */
export interface ControlAnswers {
  state: State;
  calls: SeenCall[];
  forbid: null;
  fail: null;
  cron: { cron: string; outcome: string }[];
  backlog: Record<string, number>;
  errors: LoggedError[];
}

export const controlRoutes = (controlled: Controlled): Route[] => [
  [
    "POST /edge/state",
    ({ account }) => ({ result: account.state satisfies ControlAnswers["state"] }),
  ],
  [
    "POST /edge/calls",
    () => ({ result: (controlled.api?.calls.splice(0) ?? []) satisfies ControlAnswers["calls"] }),
  ],
  [
    "POST /edge/forbid",
    (_, call) => {
      controlled.api?.forbidden.clear();
      for (const one of call.json<string[]>()) controlled.api?.forbidden.add(one);
      return { result: null satisfies ControlAnswers["forbid"] };
    },
  ],
  [
    "POST /edge/fail",
    (_, call) => {
      const { start, times } = call.json<{ start: string; times: number }>();
      controlled.api?.failing.set(start, times);
      return { result: null satisfies ControlAnswers["fail"] };
    },
  ],
  [
    "POST /edge/cron",
    async ({ account, runner }, call) => {
      const { at } = call.json<{ at: number }>();
      const ran = await runSchedules(account, runner, new Date(at));
      return { result: ran satisfies ControlAnswers["cron"] };
    },
  ],
  [
    "POST /edge/backlog",
    () => ({ result: controlled.broker.backlog() satisfies ControlAnswers["backlog"] }),
  ],
  [
    "POST /edge/errors",
    ({ account }) => ({ result: readErrors(account) satisfies ControlAnswers["errors"] }),
  ],
];
