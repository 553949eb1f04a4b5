import type { Context } from "hono";
import { reviewPath } from "../../core/link-token.ts";
import { ZoneClock } from "../../core/zone.ts";
import { named } from "../../db/named.ts";
import { publicOrigin } from "../../http/env.ts";
import { clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import type { PageEnv } from "../auth/signed-in.ts";
import { cut, renderOwnPage, Section, State } from "../dashboard/parts.tsx";
import { wordsOfUpload } from "../dashboard/words.ts";
import { openLinkOfPost } from "../review/repo/links.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { accountNames, namedPools, sentPosts } from "./repo.ts";
import type { SentResult } from "./send.ts";

interface SentScene {
  ids: readonly number[];
  /** Of all accounts; empty when every account has the post. */
  results: readonly SentResult[];
  isHeld: boolean;
  linkRefusal: string | null;
  restId: number | null;
  pool: number | null;
}

export async function showSent(c: Context<PageEnv>, scene: SentScene): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const { ids, results, linkRefusal, restId, pool } = scene;
  const refused = results.filter(({ error }) => error !== null);
  const { queries, read } = named({
    zones: zoneOfTeam({ team }),
    posts: sentPosts(team, ids),
    links: openLinkOfPost({ team, uploadId: ids[0] ?? 0, now: ctx.now() }),
    pools: pool === null ? null : namedPools({ team }),
    names:
      refused.length > 0
        ? accountNames(
            team,
            refused.map(({ accountId }) => accountId),
          )
        : null,
  });
  const { zones, posts, links, pools, names } = read(await ctx.read("posts:read", queries));
  const clock = clockOf(zones[0] ?? null);
  const [link] = links;
  const address = link
    ? publicOrigin(ctx, c.req.url) + (await reviewPath(ctx.config.signingKey, link.linkId))
    : null;
  const held = scene.isHeld || posts.some(({ status }) => status === "pending_approval");
  const [planned] = posts.flatMap(({ scheduledFor }) => scheduledFor ?? []);
  const month =
    planned &&
    new ZoneClock(clock.zone ?? "UTC").dayAt(planned.getTime()).slice(0, "2026-11".length);
  const found = pools?.find(({ id }) => id === pool);
  return renderOwnPage(
    c,
    { title: "Sent", here: "/app/compose" },
    <>
      <h1>
        {posts.length === 1 ? "1 account has the post" : `${posts.length} accounts have the post`}
      </h1>
      {found && (
        <p class="notice" role="status">
          The post waits in the pool {found.name}, and goes out in its next free slot.
        </p>
      )}
      {held && (
        <p class="notice" role="status">
          Held for approval. {link ? "Your client decides by the review link, or an" : "An"} owner
          or admin approves each post on its page. It then goes out at its date, or at once where
          that has passed.
        </p>
      )}
      {linkRefusal && (
        <p class="notice bad" role="alert">
          The posts are held, but there is no review link: {linkRefusal}
        </p>
      )}
      {link && address && (
        <Section id="link" title="Review link">
          <p>
            Send it to your client. It is open until <Time at={link.expiresAt} clock={clock} />.
          </p>
          <pre>{address}</pre>
        </Section>
      )}
      {posts.length > 0 && (
        <Section id="posts" title="Posts">
          <ul class="list">
            {posts.map(({ id, platform, accountName, scheduledFor, text, ...post }) => (
              <li>
                <div class="grow">
                  <a href={`/app/uploads/${id}`}>
                    {accountName ?? "A removed account"} on {platformName(platform)}
                  </a>
                  <p class="muted">
                    {cut(text)}
                    {scheduledFor && (
                      <>
                        {" "}
                        · <Time at={scheduledFor} clock={clock} />
                      </>
                    )}
                  </p>
                </div>
                <State {...wordsOfUpload(post)} />
              </li>
            ))}
          </ul>
          {posts.some(({ status }) => status === "pending" || status === "processing") && (
            <p>
              Publishing takes a moment.{" "}
              <a href={`/app/compose/sent?posts=${ids.join(",")}`}>Look again</a>
            </p>
          )}
        </Section>
      )}
      {refused.length > 0 && (
        <Section id="refused" title="Not taken">
          <ul class="list">
            {refused.map(({ accountId, error }) => {
              const account = names?.find(({ id }) => id === accountId);
              return (
                <li>
                  <div class="grow">
                    <strong>
                      {account
                        ? `${account.accountName} on ${platformName(account.platform)}`
                        : "A removed account"}
                    </strong>
                    <p class="why">{error}</p>
                  </div>
                </li>
              );
            })}
          </ul>
          <p>
            {restId === null ? (
              <a href="/app/compose#drafts">Correct it in its draft</a>
            ) : (
              <a class="button" href={`/app/compose?draft=${restId}`}>
                Correct it
              </a>
            )}
          </p>
        </Section>
      )}
      <p>
        <a href="/app/compose">Write another post</a>
        {month && (
          <>
            {" · "}
            <a href={`/app/calendar?month=${month}`}>See it in the calendar</a>
          </>
        )}
        {ctx.config.sandboxEnabled && posts.some(({ mode }) => mode === "sandbox") && (
          <>
            {" · "}
            <a href="/sandbox">See it in the sandbox</a>
          </>
        )}
      </p>
    </>,
  );
}
