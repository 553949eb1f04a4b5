import { type Arrival, RECEIVER_ANSWERS, type Receiver, type ReceiverAnswer } from "./inbox.ts";

export const RECEIVER_STYLES = `
.arrivals { display: grid; gap: 1.1rem; list-style: none; margin-bottom: 0; padding: 0; }
.arrivals header { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .7rem; }
.arrivals h3 { font-size: 1.02rem; overflow-wrap: anywhere; min-width: 0; }
.arrivals time { color: var(--muted); font-size: .88rem; }
.arrivals pre { margin-top: .7rem; }
.badge { font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 99rem; background: var(--code); }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.wait { background: var(--wait-soft); color: var(--wait); }
.card > * + *, form > * + * { margin-top: .9rem; }
h2 { font-size: 1.2rem; }
label { display: block; font-weight: 600; font-size: .95rem; }
input, select {
  font: inherit; font-weight: 400; width: 100%; max-width: 100%; margin-top: .25rem; padding: .55rem .7rem;
  color: var(--ink); background: var(--ground); border: 1px solid var(--edge); border-radius: .5rem;
}
button {
  font: inherit; font-weight: 600; padding: .5rem 1rem; min-height: 2.6rem; border-radius: .55rem;
  border: 1px solid transparent; background: var(--accent); color: var(--accent-ink); cursor: pointer;
}
`;

const ANSWER_NAMES: Record<ReceiverAnswer, string> = {
  "200": "200: taken",
  "500": "500: a failure",
  timeout: "nothing within 10 seconds",
  redirect: "302: a redirect",
};

/** `2026-09-18T10:51:03.000Z` → `2026-09-18 10:51:03 UTC`. */
const toReadable = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

function prettyJson(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const ArrivalCard = ({ arrival }: { arrival: Arrival }) => {
  const { event, eventId, seen, problem, body, answer, arrivedAt } = arrival;
  return (
    <li>
      <article class="card">
        <header>
          <h3>{event || "An event without a name"}</h3>
          <span class={problem === null ? "badge good" : "badge bad"}>
            {problem === null ? "signature valid" : "signature not valid"}
          </span>
          {seen > 1 && <span class="badge wait">came {seen} times</span>}
          <span class={answer === "200" ? "badge" : "badge wait"}>
            answered {ANSWER_NAMES[answer]}
          </span>
          <time datetime={arrivedAt}>{toReadable(arrivedAt)}</time>
        </header>
        {problem !== null && <p>{problem}</p>}
        <p>
          Id <code>{eventId || "none"}</code>
        </p>
        <pre tabindex={0}>{prettyJson(body)}</pre>
      </article>
    </li>
  );
};

const HowToSubscribe = ({ address, secret }: { address: string; secret: string }) => (
  <section class="card">
    <h2>Subscribe the receiver</h2>
    <p>
      Create a webhook that leads here and is signed with the receiver's secret. Put your API token
      in place of <code>TOKEN</code>:
    </p>
    <pre tabindex={0}>{`curl ${new URL(address).origin}/api/v1/webhooks \\
  -H "x-api-key: TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ url: address, events: ["upload.completed", "upload.failed"], secret })}'`}</pre>
    <p>Then publish a post. Its event is below as soon as you load this page again.</p>
  </section>
);

const Settings = ({ secret, answer }: Receiver) => (
  <form class="card" method="post" action="/sandbox/webhook/settings">
    <h2>How it answers</h2>
    <label>
      Answer to every delivery
      <select name="answer">
        {RECEIVER_ANSWERS.map((one) => (
          <option value={one} selected={one === answer}>
            {ANSWER_NAMES[one]}
          </option>
        ))}
      </select>
    </label>
    <label>
      Secret that it checks signatures with
      <input name="secret" value={secret} required autocomplete="off" spellcheck={false} />
    </label>
    <p>
      A webhook with a secret of its own, or with a new one, signs by that: paste that secret here
      to have it checked.
    </p>
    <button type="submit">Save</button>
  </form>
);

interface ReceiverPageProps {
  receiver: Receiver;
  arrivals: Arrival[];
  address: string;
}

export const ReceiverPage = ({ receiver, arrivals, address }: ReceiverPageProps) => (
  <>
    <header>
      <h1>Webhook receiver</h1>
      <p class="lead">
        Takes deliveries in place of a server of yours, checks them and shows the last hundred,
        newest first. <a href="/sandbox/api/webhook">The same as JSON</a> ·{" "}
        <a href="/sandbox">Sandbox feed</a>
      </p>
    </header>
    <HowToSubscribe address={address} secret={receiver.secret} />
    <Settings {...receiver} />
    <section>
      <h2>{arrivals.length === 0 ? "Nothing has arrived yet" : "Arrived"}</h2>
      {arrivals.length > 0 && (
        <ol class="arrivals">
          {arrivals.map((arrival) => (
            <ArrivalCard arrival={arrival} />
          ))}
        </ol>
      )}
    </section>
  </>
);
