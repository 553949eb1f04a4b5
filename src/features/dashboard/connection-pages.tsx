import { type Context, Hono } from "hono";
import { AppError, toFieldErrors } from "../../core/errors.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import type { TokenLink } from "../connect/link-service.ts";
import { DEFAULT_LINK_HOURS, type LinkStatus, linkPath, MAX_LINK_HOURS } from "../connect/rules.ts";
import type { Offer } from "../connect/service.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Choice, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { formCall } from "./once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";

export const connectionPages = new Hono<PageEnv>();

const PATH = "/app/connection-pages";

const DONE_MESSAGES: Record<string, string> = {
  created: "The page is made. Copy its address and send it to your client.",
  deleted: "The page is deleted. Its address leads nowhere now.",
};

const LINK_WORDS: Record<LinkStatus, { text: string; tone: string }> = {
  pending: { text: "Waits", tone: "wait" },
  connected: { text: "Connected", tone: "good" },
  expired: { text: "Expired", tone: "" },
};

const STYLES = ".address { user-select: all; margin-top: .4rem; }";

connectionPages.get(PATH, signedIn("read:pages"), (c) =>
  showLinks(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

connectionPages.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { createLink, newLinkSchema } = await import("./actions.ts");
  const optional = ["title", "description", "logoUrl", "redirectUrl"].flatMap((name) => {
    const text = textField(form, name);
    return text === "" ? [] : [[name, text] as const];
  });
  const [platform, mode, type] = textField(form, "platform").split("/");
  const refused = await attempt(async () => {
    const input = newLinkSchema.safeParse({
      platform,
      mode,
      type,
      ...Object.fromEntries(optional),
      expiresInHours: Number(textField(form, "expiresInHours")),
      tags: textField(form, "tags")
        .split(",")
        .map((tag) => tag.trim())
        .filter(Boolean),
    });
    if (!input.success) throw mistaken(toFieldErrors(input.error)[0]?.field ?? "");
    await createLink(c.var.ctx, input.data, formCall(c));
  });
  if (refused) return showLinks(c, { ...refused, sent: form });
  return c.redirect(`${PATH}?done=created`, 303);
});

connectionPages.post(`${PATH}/:id/delete`, signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Link");
  const { deleteLink } = await import("../connect/link-service.ts");
  const refused = await attempt(() => deleteLink(c.var.ctx, id));
  return refused ? showLinks(c, refused) : c.redirect(`${PATH}?done=deleted`, 303);
});

function mistaken(field: string): AppError {
  const [name = ""] = field.split(".");
  const words: Record<string, string> = {
    platform: "Choose a platform of the list.",
    expiresInHours: `A page is open for 1 to ${MAX_LINK_HOURS} hours.`,
    title: "The title has at most 100 characters.",
    description: "The description has at most 1,000 characters.",
    tags: "Give up to 20 tags with at most 50 characters each, and 500 in all.",
  };
  return new AppError(null, words[name] ?? "An address has at most 2,048 characters.");
}

/** `sent`: a refused form, which is shown again. */
async function showLinks(
  c: Context<PageEnv>,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const { ctx } = c.var;
  const { linksQuery, withTokens } = await import("../connect/link-service.ts");
  const { platformOffers } = await import("../connect/service.ts");
  const [[zone = null], rows] = await ctx.read("accounts:read", [
    zoneOfTeam({ team: ctx.team }),
    linksQuery(ctx),
  ]);
  const links = await withTokens(ctx, rows);
  const clock = clockOf(zone);
  const origin = publicOrigin(c.var.deps, c.req.url);
  return renderOwnPage(
    c,
    {
      title: "Connection pages",
      here: "/app/accounts",
      status,
      styles: STYLES,
    },
    <>
      <p>
        <a href="/app/accounts">All accounts</a>
      </p>
      <h1>Connection pages</h1>
      <NoticeLine notice={notice} />
      <Section id="links" title={links.length === 1 ? "1 page" : `${links.length} pages`}>
        <p class="muted">
          Send a page's address to a client: there they connect one of their accounts to this team,
          without a sign-in here. Each page works once.
        </p>
        {links.length > 0 && (
          <ul class="list">
            {links.map((link) => (
              <LinkItem link={link} origin={origin} clock={clock} />
            ))}
          </ul>
        )}
      </Section>
      <LinkForm offers={platformOffers(ctx)} sent={sent} />
    </>,
  );
}

const LinkItem = ({ link, origin, clock }: { link: TokenLink; origin: string; clock: Clock }) => {
  const { id, token, platform, mode, type, title, tags, status, accountId, expiresAt } = link;
  const what = `${platformName(platform)}${type === "page" ? " pages" : ""}`;
  const name = `${what}${mode === "sandbox" ? ", in the sandbox" : ""}`;
  return (
    <li>
      <div class="grow">
        <strong>{title ?? name}</strong>
        <p class="muted">
          {title !== null && `${name} · `}
          {tags.length > 0 && `tags: ${tags.join(", ")} · `}
          {accountId === null ? (
            <>
              open until <Time at={expiresAt} clock={clock} />
            </>
          ) : (
            <a href={`/app/accounts/${accountId}`}>The account</a>
          )}
        </p>
        {status === "pending" && <pre class="address">{origin + linkPath(token)}</pre>}
      </div>
      <State {...LINK_WORDS[status]} />
      {status === "pending" && (
        <TeamForm action={`${PATH}/${id}/delete`}>
          <button class="danger" type="submit">
            Delete<span class="hidden"> the page {title ?? `for ${name}`}</span>
          </button>
        </TeamForm>
      )}
    </li>
  );
};

const LinkForm = ({ offers, sent }: { offers: readonly Offer[]; sent: FormData | undefined }) => {
  const value = (name: string, usual = "") => (sent ? textField(sent, name) : usual);
  const choices = offers.flatMap(({ platform, type, name, refusal, isSimulated }) => {
    const end = type === "page" ? "/page" : "";
    return [
      ...(refusal === null ? [[`${platform}/live${end}`, name] as const] : []),
      ...(isSimulated ? [[`${platform}/sandbox${end}`, `${name}, in the sandbox`] as const] : []),
    ];
  });
  if (choices.length === 0) {
    return (
      <Section id="new" title="Make a connection page">
        <p>
          No platform is set up on this instance yet: see <a href="/app/accounts">Accounts</a>.
        </p>
      </Section>
    );
  }
  return (
    <Section id="new" title="Make a connection page">
      <TeamForm class="fields" action={PATH} makes>
        <Choice name="platform" label="Platform" chosen={value("platform")} options={choices} />
        <InputField
          id="title"
          label="Title"
          hint="optional, up to 100 characters"
          maxlength={100}
          value={value("title")}
        />
        <Field id="description" label="Description" hint="optional, up to 1,000 characters">
          <textarea id="description" name="description" rows={3} maxlength={1_000}>
            {value("description")}
          </textarea>
        </Field>
        <InputField
          id="hours"
          label="Open for"
          hint={`hours, up to ${MAX_LINK_HOURS}`}
          name="expiresInHours"
          type="number"
          min={1}
          max={MAX_LINK_HOURS}
          required
          value={value("expiresInHours", String(DEFAULT_LINK_HOURS))}
        />
        <InputField
          id="tags"
          label="Tags of the account"
          hint="optional, with commas between them"
          maxlength={500}
          value={value("tags")}
          autocomplete="off"
        />
        <InputField
          id="logo"
          label="Address of a logo"
          hint="optional; else the logo in the settings"
          name="logoUrl"
          type="url"
          maxlength={2_048}
          placeholder="https://"
          value={value("logoUrl")}
        />
        <InputField
          id="redirect"
          label="Where they go afterwards"
          hint="optional"
          name="redirectUrl"
          type="url"
          maxlength={2_048}
          placeholder="https://"
          value={value("redirectUrl")}
        />
        <SubmitLine>Make the page</SubmitLine>
      </TeamForm>
    </Section>
  );
};
