import type { Child } from "hono/jsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { type Clock, Time } from "../../../pages/times.tsx";
import { type EventName, SUBSCRIBABLE } from "../../events/catalogue.ts";
import { toEnvelope } from "../../events/envelope.ts";
import { EXAMPLES } from "../../events/examples.ts";
import type { LoggedAttempt, Tally, WebhookRow } from "../../webhooks/repo/webhooks.ts";
import { Button } from "../form-parts.tsx";
import { State } from "../parts.tsx";

export const STYLES = `
.wide { max-width: none; }
.wide > div > input { max-width: 34rem; }
.events label code { font-size: .88rem; }
.events details { margin-left: 1.65rem; }
.events summary { padding: 0; min-height: 1.5rem; font-size: .88rem; font-weight: 400; }
.events pre { font-size: .82rem; }
.events > label + label, .events > details + label { margin-top: .5rem; }
.address { overflow-wrap: anywhere; font-weight: 600; }
.groups { display: grid; gap: .9rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); align-items: start; }
.http { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
.whole { user-select: all; overflow-wrap: anywhere; white-space: pre-wrap; }
`;

/** Attempts of the last day that are counted for each webhook. */
export const MAX_COUNTED = 500;

/** What a webhook's last day says in one word. */
export function stateOf(
  { isActive, failureCount }: WebhookRow,
  tally: Tally | undefined,
): { text: string; tone: string } {
  if (!isActive) return { text: failureCount > 0 ? "Switched off" : "Paused", tone: "bad" };
  if (!tally || tally.attempts === 0) return { text: "On", tone: "" };
  const share = tally.succeeded / tally.attempts;
  if (share === 1) return { text: "Works", tone: "good" };
  return share === 0 ? { text: "Fails", tone: "bad" } : { text: "Fails at times", tone: "wait" };
}

export const LastDay = ({ tally }: { tally: Tally | undefined }) => {
  if (!tally || tally.attempts === 0) return <>Nothing was sent in the last 24 hours.</>;
  const { attempts, succeeded } = tally;
  const percent = Math.floor((100 * succeeded) / attempts);
  const counted = attempts === MAX_COUNTED ? `the newest ${attempts}` : attempts;
  return (
    <>
      {percent} % of {counted} {attempts === 1 ? "attempt" : "attempts"} in the last 24 hours
      arrived.
    </>
  );
};

export const WebhookItem = ({ row, tally }: { row: WebhookRow; tally: Tally | undefined }) => (
  <li>
    <div class="grow">
      <a class="address" href={`/app/webhooks/${row.id}`}>
        {row.url}
      </a>
      <p class="muted">
        {row.events.length === SUBSCRIBABLE.length
          ? "All events"
          : `${row.events.length} ${row.events.length === 1 ? "event" : "events"}`}{" "}
        · <LastDay tally={tally} />
      </p>
    </div>
    <State {...stateOf(row, tally)} />
  </li>
);

const GROUPS: readonly [title: string, prefix: readonly string[]][] = [
  ["Posts", ["upload."]],
  ["Accounts", ["connected_account."]],
  ["Team", ["team.", "security.", "suggestion."]],
  ["Plan", ["subscription."]],
];

const EXAMPLE_TIME = new Date("2026-12-01T09:00:00Z");

export const exampleOf = (event: EventName): string =>
  JSON.stringify(
    toEnvelope({
      id: "evt_01a206af323a0000a3eaed2dea40",
      event,
      createdAt: EXAMPLE_TIME,
      data: JSON.stringify(EXAMPLES[event].data),
    }),
    null,
    2,
  );

/** Checkboxes of all events, each with an example of its body. */
export const EventChoice = ({ chosen }: { chosen: readonly string[] }) => (
  <div class="groups">
    {GROUPS.map(([title, prefixes]) => (
      <fieldset class="events">
        <legend>{title}</legend>
        {SUBSCRIBABLE.filter((name) => prefixes.some((prefix) => name.startsWith(prefix))).map(
          (name) => (
            <>
              <label>
                <input type="checkbox" name="events" value={name} checked={chosen.includes(name)} />
                <span>
                  <code>{name}</code> when {EXAMPLES[name].when}
                </span>
              </label>
              <details>
                <summary>
                  Example<span class="hidden"> of {name}</span>
                </summary>
                <pre tabindex={0}>{exampleOf(name)}</pre>
              </details>
            </>
          ),
        )}
      </fieldset>
    ))}
  </div>
);

export const NewSecret = ({ secret, title }: { secret: string; title: string }) => (
  <section class="notice" role="status" aria-labelledby="secret">
    <h2 id="secret">{title}</h2>
    <p>
      Copy the secret now: it is shown this once. Your receiver{" "}
      <a href="/app/webhooks/signature">checks with it</a> that an event comes from here.
    </p>
    <pre class="whole">{secret}</pre>
  </section>
);

const answerOf = ({ success, statusCode, error }: LoggedAttempt): string =>
  success ? `Answered ${statusCode}.` : (error ?? `Answered ${statusCode}.`);

export const AttemptItem = (props: { webhookId: number; row: LoggedAttempt; clock: Clock }) => {
  const { webhookId, row, clock } = props;
  return (
    <li>
      <div class="grow">
        <a href={`/app/webhooks/${webhookId}/attempts/${row.id}`}>
          <code>{row.event}</code>
        </a>
        <p class="muted">
          <Time at={row.createdAt} clock={clock} /> · attempt {row.attempt} · {row.durationMs} ms ·{" "}
          {answerOf(row)}
        </p>
      </div>
      <State
        {...(row.success ? { text: "Arrived", tone: "good" } : { text: "Failed", tone: "bad" })}
      />
    </li>
  );
};

export const AttemptFacts = ({ row, clock }: { row: LoggedAttempt; clock: Clock }) => (
  <dl>
    <dt>Sent</dt>
    <dd>
      <Time at={row.createdAt} clock={clock} />
    </dd>
    <dt>Attempt</dt>
    <dd>{row.attempt}</dd>
    <dt>Took</dt>
    <dd>{row.durationMs} ms</dd>
    <dt>Result</dt>
    <dd>{answerOf(row)}</dd>
  </dl>
);

/** One button that does one thing to a webhook. */
export const Act = (props: {
  action: string;
  fields?: Record<string, string>;
  tone?: "quiet" | "danger";
  children: Child;
}) => (
  <TeamForm action={props.action}>
    {Object.entries(props.fields ?? {}).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <Button tone={props.tone ?? "quiet"}>{props.children}</Button>
  </TeamForm>
);
