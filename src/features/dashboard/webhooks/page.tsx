import { type Context, Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { firstIdSince } from "../../../core/ids.ts";
import { DAY, HOUR } from "../../../core/time.ts";
import { MAX_REPLAYED } from "../../../core/webhooks.ts";
import { readNumericId } from "../../../http/ids.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { clockOf } from "../../../pages/times.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { SUBSCRIBABLE } from "../../events/catalogue.ts";
import { zoneOfTeam } from "../../settings/repo.ts";
import { attemptsOf, findWebhook, talliesOf, webhooksOf } from "../../webhooks/repo/webhooks.ts";
import { Button, Choice, InputField, SubmitLine } from "../form-parts.tsx";
import { attemptForm, type FieldRefusals, NO_REFUSALS } from "../marked-fields.ts";
import { formCall } from "../once.ts";
import { doneNotice, type Notice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { attempt, readFields, type Shown } from "../refusals.ts";
import {
  Act,
  AttemptItem,
  EventChoice,
  LastDay,
  MAX_COUNTED,
  NewSecret,
  STYLES,
  stateOf,
  WebhookItem,
} from "./parts.tsx";

export const webhooksPage = new Hono<PageEnv>();

const PATH = "/app/webhooks";

const DONE_MESSAGES: Record<string, string> = {
  deleted: "The webhook is deleted.",
  on: "The webhook is on. Events are sent from now on.",
  off: "The webhook is paused. Nothing is sent to it.",
  tested: "A test is on its way. It shows among the attempts in a moment.",
  replayed: "The event is on its way again.",
};

webhooksPage.get(PATH, signedIn("read:pages"), (c) =>
  showWebhooks(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

webhooksPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const secret = textField(form, "secret").trim();
  const { createWebhook, newWebhookSchema } = await import("../actions.ts");
  let created: { id: number; secret: string } | null = null;
  const refused = await attemptForm(async () => {
    const input = readFields(newWebhookSchema, {
      url: textField(form, "url").trim(),
      events: form.getAll("events"),
      ...(secret === "" ? {} : { secret }),
    });
    created = (await createWebhook(c.var.ctx, input, formCall(c))).result;
  });
  if (refused) return showWebhooks(c, { ...refused, sent: form });
  return showWebhooks(c, { notice: null, status: 200, created });
});

interface ListShown extends Shown {
  sent?: FormData;
  fields?: FieldRefusals;
  created?: { id: number; secret: string } | null;
}

const dayAgo = (now: Date): string => firstIdSince("dlv", new Date(now.getTime() - DAY));

async function showWebhooks(c: Context<PageEnv>, shown: ListShown): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const [rows, tallies] = await ctx.read("webhooks:read", [
    webhooksOf(team),
    talliesOf({ team, from: dayAgo(ctx.now()), max: MAX_COUNTED }),
  ]);
  const tallyOf = new Map(tallies.map((tally) => [tally.webhookId, tally]));
  return renderOwnPage(
    c,
    { title: "Webhooks", here: PATH, status: shown.status, styles: STYLES },
    <>
      <h1>Webhooks</h1>
      <NoticeLine notice={shown.notice} />
      {shown.created && <NewSecret secret={shown.created.secret} title="The webhook is made" />}
      <Section id="webhooks" title={rows.length === 1 ? "1 webhook" : `${rows.length} webhooks`}>
        <p class="muted">
          A webhook sends what happens here to your own program.{" "}
          <a href="/docs/webhooks">How webhooks work</a>,{" "}
          <a href="/app/webhooks/signature">how to check a signature</a>.
        </p>
        {rows.length > 0 && (
          <ul class="list">
            {rows.map((row) => (
              <WebhookItem row={row} tally={tallyOf.get(row.id)} />
            ))}
          </ul>
        )}
      </Section>
      {ctx.actor.role === "MEMBER" ? (
        <p class="muted">The owner and admins of the team make webhooks.</p>
      ) : (
        <NewWebhook sent={shown.sent} refusals={shown.fields ?? NO_REFUSALS} />
      )}
    </>,
  );
}

const SECRET_WORDS = "Give 16 to 255 letters, digits and signs without spaces, or leave it empty.";

const NewWebhook = (props: { sent: FormData | undefined; refusals: FieldRefusals }) => {
  const { sent, refusals } = props;
  const isRefused = (field: string): boolean =>
    [...refusals.keys()].some((name) => name.split(".")[0] === field);
  return (
    <Section id="new" title="Make a webhook">
      <TeamForm class="fields wide" action={PATH} makes>
        <InputField
          id="url"
          label="Address"
          hint="https, on the public internet"
          type="url"
          required
          maxlength={2_048}
          placeholder="https://"
          value={sent ? textField(sent, "url") : ""}
          refusal={refusals.get("url") ?? null}
        />
        <EventChoice
          chosen={sent ? sent.getAll("events").map(String) : SUBSCRIBABLE.slice(0, 2)}
          refusal={isRefused("events") ? "Choose at least one event of these." : null}
        />
        <InputField
          id="secret"
          label="Secret"
          hint="optional, 16 to 255 characters; else one is made"
          minlength={16}
          maxlength={255}
          autocomplete="off"
          value={sent ? textField(sent, "secret") : ""}
          refusal={isRefused("secret") ? SECRET_WORDS : null}
        />
        <SubmitLine>Make the webhook</SubmitLine>
      </TeamForm>
    </Section>
  );
};

const idOf = (c: Context<PageEnv>): number => readNumericId(c.req.param("id") ?? "", "Webhook");

webhooksPage.get(`${PATH}/:id`, signedIn("read:pages"), (c) => {
  const replayed = c.req.query("replayed") ?? "";
  const notice = /^\d{1,3}$/.test(replayed)
    ? replayedNotice(Number(replayed))
    : doneNotice(DONE_MESSAGES, c.req.query("done"));
  return showWebhook(c, { notice, status: 200 });
});

function replayedNotice(count: number): Notice {
  const events = count === 1 ? "1 event is" : `${count} events are`;
  const more = count >= MAX_REPLAYED ? " There may be more: press it again." : "";
  const text =
    count === 0
      ? "No event has failed for good since then."
      : `${events} on their way again.${more}`.replace("is on their", "is on its");
  return { text, isRefusal: false };
}

type Actions = typeof import("../actions.ts");

/** Does something to a webhook, and returns to its page. */
const act = (
  name: string,
  does: (c: Context<PageEnv>, form: FormData, actions: Actions) => Promise<string>,
) =>
  webhooksPage.post(`${PATH}/:id/${name}`, signedIn("write"), async (c) => {
    const [form, actions] = [await readForm(c), await import("../actions.ts")];
    let query = "";
    const refused = await attempt(async () => {
      query = await does(c, form, actions);
    });
    return refused ? showWebhook(c, refused) : c.redirect(`${PATH}/${idOf(c)}?${query}`, 303);
  });

act("switch", async (c, form, { switchWebhook }) => {
  const isActive = textField(form, "isActive") === "yes";
  await switchWebhook(c.var.ctx, idOf(c), isActive);
  return isActive ? "done=on" : "done=off";
});

act("test", async (c, _, { testWebhook }) => {
  await testWebhook(c.var.ctx, idOf(c));
  return "done=tested#attempts";
});

act("replay-failed", async (c, form, { replayFailed }) => {
  const hours = Number(textField(form, "hours"));
  const since = new Date(c.var.ctx.now().getTime() - (hours > 0 ? hours : 24) * HOUR);
  return `replayed=${await replayFailed(c.var.ctx, idOf(c), since)}`;
});

webhooksPage.post(`${PATH}/:id/rotate`, signedIn("write"), async (c) => {
  let secret = "";
  const { rotateSecret } = await import("../actions.ts");
  const refused = await attempt(async () => {
    secret = await rotateSecret(c.var.ctx, idOf(c));
  });
  return showWebhook(c, refused ?? { notice: null, status: 200, secret });
});

webhooksPage.get(`${PATH}/:id/delete`, signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const [[row]] = await ctx.read("webhooks:read", [findWebhook(ctx.team, idOf(c))]);
  if (!row) throw notFound("Webhook");
  return renderOwnPage(
    c,
    { title: "Delete a webhook", here: PATH, styles: STYLES },
    <>
      <h1>Delete this webhook?</h1>
      <div class="card">
        <p class="address">{row.url}</p>
        <p>
          Nothing is sent to it any more, and its attempts are forgotten. Events stay for 30 days:
          your program can still fetch them.
        </p>
        <TeamForm class="row" action={`${PATH}/${row.id}/delete`}>
          <Button tone="danger">Delete the webhook</Button>
          <a class="button quiet" href={`${PATH}/${row.id}`}>
            Keep it
          </a>
        </TeamForm>
      </div>
    </>,
  );
});

webhooksPage.post(`${PATH}/:id/delete`, signedIn("destructive"), async (c) => {
  const { deleteWebhook } = await import("../actions.ts");
  const refused = await attempt(() => deleteWebhook(c.var.ctx, idOf(c)));
  return refused ? showWebhook(c, refused) : c.redirect(`${PATH}?done=deleted`, 303);
});

const PAGE_SIZE = 50;

async function showWebhook(
  c: Context<PageEnv>,
  { notice, status, secret = "" }: Shown & { secret?: string },
): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const id = idOf(c);
  const before = c.req.query("before") || undefined;
  const [[zone = null], [row], tallies, attempts] = await ctx.read("webhooks:read", [
    zoneOfTeam({ team }),
    findWebhook(team, id),
    talliesOf({ team, from: dayAgo(ctx.now()), max: MAX_COUNTED }),
    attemptsOf(team, id, { limit: PAGE_SIZE + 1, before }),
  ]);
  if (!row) throw notFound("Webhook");
  const tally = tallies.find(({ webhookId }) => webhookId === id);
  const clock = clockOf(zone);
  const isManager = ctx.actor.role !== "MEMBER";
  const mayEnd = !ctx.actor.needsApproval;
  const path = `${PATH}/${id}`;
  const shown = attempts.slice(0, PAGE_SIZE);
  return renderOwnPage(
    c,
    { title: "Webhook", here: PATH, status, styles: STYLES },
    <>
      <p>
        <a href={PATH}>All webhooks</a>
      </p>
      <h1>Webhook {id}</h1>
      <NoticeLine notice={notice} />
      {secret !== "" && <NewSecret secret={secret} title="The new secret" />}
      <section class="card" aria-label="State">
        <p class="row head">
          <span class="address">{row.url}</span> <State {...stateOf(row, tally)} />
        </p>
        <p class="muted">
          <LastDay tally={tally} />
          {row.failureCount > 0 &&
            ` ${row.failureCount} ${row.failureCount === 1 ? "event" : "events"} in a row did not arrive; after 3, it is switched off.`}
        </p>
        <p>
          {row.events.map((name, i) => (
            <>
              {i > 0 && ", "}
              <code>{name}</code>
            </>
          ))}
        </p>
        <div class="row">
          <Act action={`${path}/test`}>Send a test</Act>
          {row.isActive
            ? mayEnd && (
                <Act action={`${path}/switch`} fields={{ isActive: "no" }}>
                  Pause
                </Act>
              )
            : isManager && (
                <Act action={`${path}/switch`} fields={{ isActive: "yes" }}>
                  Switch on
                </Act>
              )}
          {mayEnd && (
            <a class="button quiet" href={`${path}/delete`}>
              Delete…
            </a>
          )}
        </div>
        {isManager && (
          <details>
            <summary>Make a new secret…</summary>
            <p>
              The new secret signs from that moment on, and the old one never again: until you give
              the new one to your program, the program sees wrong signatures and refuses what is
              sent.
            </p>
            <Act action={`${path}/rotate`} tone="danger">
              Make a new secret
            </Act>
          </details>
        )}
      </section>
      {isManager && row.isActive && (
        <Section id="replay" title="Send again what failed">
          <p class="muted">
            Events whose attempts all failed, up to {MAX_REPLAYED} at once, oldest first. Events
            that are still tried are left out.
          </p>
          <TeamForm class="row" action={`${path}/replay-failed`}>
            <Choice
              name="hours"
              label="Since"
              chosen="24"
              options={[
                ["1", "an hour ago"],
                ["6", "6 hours ago"],
                ["24", "yesterday at this time"],
                ["168", "a week ago"],
                ["720", "30 days ago"],
              ]}
            />
            <Button>Send again</Button>
          </TeamForm>
        </Section>
      )}
      <Section id="attempts" title="Attempts">
        <p class="muted">Of the last 30 days, newest first.</p>
        {shown.length === 0 ? (
          <p>Nothing was sent yet. Send a test, or publish a post.</p>
        ) : (
          <ul class="list">
            {shown.map((attempt) => (
              <AttemptItem webhookId={id} row={attempt} clock={clock} />
            ))}
          </ul>
        )}
        <p class="row">
          {before !== undefined && (
            <a class="button quiet" href={path}>
              Newest
            </a>
          )}
          {attempts.length > PAGE_SIZE && (
            <a
              class="button quiet"
              href={`${path}?before=${encodeURIComponent(shown.at(-1)?.id ?? "")}#attempts`}
            >
              Older attempts
            </a>
          )}
        </p>
      </Section>
    </>,
  );
}
