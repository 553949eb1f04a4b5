import { type Context, Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { SECOND } from "../../../core/time.ts";
import { HEADERS } from "../../../core/webhooks.ts";
import { readNumericId } from "../../../http/ids.ts";
import { clockOf } from "../../../pages/times.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { toEnvelope } from "../../events/envelope.ts";
import { zoneOfTeam } from "../../settings/repo.ts";
import { findAttempt, findWebhook, type LoggedAttempt } from "../../webhooks/repo/webhooks.ts";
import { NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { attempt, type Shown } from "../refusals.ts";
import { Act, AttemptFacts, STYLES } from "./parts.tsx";

export const webhookAttemptPage = new Hono<PageEnv>();

const PATH = "/app/webhooks";
const PLACE = `${PATH}/:id/attempts/:attempt`;

webhookAttemptPage.get(PLACE, signedIn("read:pages"), (c) =>
  showAttempt(c, { notice: null, status: 200 }),
);

webhookAttemptPage.post(`${PLACE}/replay`, signedIn("write"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Webhook");
  const { replayDelivery } = await import("../actions.ts");
  const refused = await attempt(() => replayDelivery(c.var.ctx, id, c.req.param("attempt")));
  return refused ? showAttempt(c, refused) : c.redirect(`${PATH}/${id}?done=replayed`, 303);
});

const bodyOf = ({ eventId: id, event, data, eventAt }: LoggedAttempt): string | null =>
  data === null || eventAt === null
    ? null
    : JSON.stringify(toEnvelope({ id, event, createdAt: eventAt, data }), null, 2);

async function showAttempt(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const id = readNumericId(c.req.param("id") ?? "", "Webhook");
  const [[zone = null], [webhook], [row]] = await ctx.read("webhooks:read", [
    zoneOfTeam({ team }),
    findWebhook(team, id),
    findAttempt(team, id, c.req.param("attempt") ?? ""),
  ]);
  if (!webhook) throw notFound("Webhook");
  if (!row) throw notFound("Attempt");
  const body = bodyOf(row);
  const { pathname, host } = new URL(webhook.url);
  const head = [
    `POST ${pathname}`,
    `Host: ${host}`,
    "Content-Type: application/json",
    `${HEADERS.event}: ${row.event}`,
    `${HEADERS.id}: ${row.eventId}`,
    `${HEADERS.timestamp}: ${Math.floor(row.createdAt.getTime() / SECOND)}`,
    `${HEADERS.signature}: …`,
  ];
  return renderOwnPage(
    c,
    { title: "Attempt", here: PATH, status, styles: STYLES },
    <>
      <p>
        <a href={`${PATH}/${id}`}>Webhook {id}</a>
      </p>
      <h1>{row.event}</h1>
      <NoticeLine notice={notice} />
      <section class="card" aria-label="Result">
        <p>
          <State
            {...(row.success ? { text: "Arrived", tone: "good" } : { text: "Failed", tone: "bad" })}
          />
        </p>
        <AttemptFacts row={row} clock={clockOf(zone)} />
        {ctx.actor.role !== "MEMBER" &&
          body !== null &&
          (webhook.isActive ? (
            <Act action={`${PATH}/${id}/attempts/${row.id}/replay`}>Send again</Act>
          ) : (
            <p class="muted">
              The webhook is off. <a href={`${PATH}/${id}`}>Switch it on</a> to send this again.
            </p>
          ))}
      </section>
      <Section id="request" title="What was sent">
        <pre class="http" tabindex={0}>
          {head.join("\n")}
        </pre>
        {body === null ? (
          <p class="muted">The event is older than 30 days, so its body is no longer kept.</p>
        ) : (
          <pre class="http" tabindex={0}>
            {body}
          </pre>
        )}
        <p class="muted">
          The body is sent without spaces and line ends. The signature is made anew for each
          attempt: <a href={`${PATH}/signature`}>how to check it</a>.
        </p>
      </Section>
      <Section id="answer" title="What was answered">
        {row.statusCode === null ? (
          <p>{row.error ?? "Nothing."}</p>
        ) : (
          <pre class="http" tabindex={0}>
            {`Status ${row.statusCode}${row.answer ? `\n\n${row.answer}` : ""}`}
          </pre>
        )}
        {row.answer === null && (
          <p class="muted">
            The text of an answer is kept where an attempt failed, up to 500 characters.
          </p>
        )}
      </Section>
    </>,
  );
}
