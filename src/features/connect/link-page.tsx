import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { AppError } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppContext, AppEnv } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { BrandStripe, STRIPE_STYLES } from "../../pages/brand.tsx";
import { AgreedTerms } from "../../pages/platform-terms.tsx";
import { connectorOf, platformName } from "../../platforms/registry.ts";
import { type FoundLink, findLink, openLink, type ShownLink, TELL_SENDER } from "./link-service.ts";
import { sendToPlatform } from "./pages.tsx";
import { consentFormTargets, LINK_DONE, MAX_IDENTIFIER } from "./rules.ts";
import { accountUntilAudit } from "./service.ts";

export const linkPages = new Hono<AppEnv>();

linkPages.get("/connect/:token", async (c) => {
  await countVisitor(c, "read:pages");
  const link = await findLink(c.var.deps, c.req.param("token"));
  const isDone = c.req.query("done") === LINK_DONE;
  return showLink(c, link, { isDone, refusal: null, identifier: "" });
});

linkPages.post("/connect/:token", async (c) => {
  await countVisitor(c, "connect");
  const link = await findLink(c.var.deps, c.req.param("token"));
  if (typeof link === "string" || link.status !== "pending") {
    return showLink(c, link, { isDone: false, refusal: null, identifier: "" });
  }
  const identifier = textField(await readForm(c), "identifier");
  try {
    const { token } = await openLink(c.var.deps, link, identifier);
    return await sendToPlatform(c, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return showPending(c, link, { refusal: error.message, identifier });
  }
});

interface SubmittedForm {
  refusal: string | null;
  identifier: string;
}

function showLink(
  c: AppContext,
  link: FoundLink,
  { isDone, ...sent }: SubmittedForm & { isDone: boolean },
): Promise<Response> {
  if (link === "forged") {
    return showPlain(
      c,
      404,
      "This link leads nowhere",
      <p>Check that you have its whole address, or ask for the link again.</p>,
    );
  }
  if (link === "withdrawn") {
    return showPlain(
      c,
      410,
      "This link is gone",
      <p>It was withdrawn, or ended long ago. If you still want to connect, ask for a new one.</p>,
    );
  }
  const name = platformName(link.row.platform);
  if (link.status === "connected" && isDone) {
    return showPlain(
      c,
      200,
      `${name} is connected`,
      <p>Thank you, that is all. You can close this page.</p>,
      link,
    );
  }
  if (link.status === "connected") {
    return showPlain(
      c,
      410,
      "This link was used",
      <p>
        An account of {name} was connected by it, and it works once. If that was you, all is done.
        If not, ask for a new link.
      </p>,
      link,
    );
  }
  if (link.status === "expired") {
    return showPlain(
      c,
      410,
      "This link has expired",
      <p>It could be used until {formatInstant(link.row.expiresAt)}. Ask for a new one.</p>,
      link,
    );
  }
  return showPending(c, link, sent);
}

function showPending(c: AppContext, link: ShownLink, sent: SubmittedForm): Promise<Response> {
  const { row, refusal } = link;
  const name = platformName(row.platform);
  return showPlain(
    c,
    sent.refusal === null ? 200 : 400,
    row.title ?? `Connect ${name}`,
    <>
      <p class="text" dir="auto">
        {row.description ?? descriptionFor(link)}
      </p>
      {sent.refusal !== null && (
        <p class="notice bad" role="alert">
          {sent.refusal}
        </p>
      )}
      {refusal === null ? (
        <ConnectForm
          link={link}
          action={c.req.path}
          identifier={sent.identifier}
          untilAudit={accountUntilAudit(c.var.deps, row.platform)}
        />
      ) : (
        <p class="notice bad">
          {name} cannot be connected here for now. {TELL_SENDER}
        </p>
      )}
    </>,
    link,
  );
}

const descriptionFor = ({ brand, publishesTo }: ShownLink): string =>
  `${brand ?? "The person who sent you this link"} wants to publish posts to ${publishesTo}.`;

const ConnectForm = ({
  link: { row, asks, identifierLabel },
  action,
  identifier,
  untilAudit,
}: {
  link: ShownLink;
  action: string;
  identifier: string;
  untilAudit: string | null;
}) => {
  const { name, terms } = connectorOf(row.platform);
  return (
    <form class="card fields" method="post" action={action}>
      {row.mode === "sandbox" && (
        <p class="hint">To try it out: {name} is simulated, and no real account is touched.</p>
      )}
      {asks !== null && <p>{asks}</p>}
      {identifierLabel !== null && (
        <div>
          <label for="identifier">{identifierLabel}</label>
          <input
            id="identifier"
            name="identifier"
            required={row.mode === "live"}
            maxlength={MAX_IDENTIFIER}
            value={identifier}
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
          />
        </div>
      )}
      <p>
        <button type="submit">Connect {name}</button>
      </p>
      <p class="hint">
        You sign in at {name} itself: your password is not seen here. {wayOn(row.redirectUrl)} The
        link can be used once, until {formatInstant(row.expiresAt)}.
      </p>
      {untilAudit !== null && <p class="why">{untilAudit}</p>}
      {terms && <AgreedTerms name={name} terms={terms} />}
    </form>
  );
};

const wayOn = (redirectUrl: string | null): string =>
  redirectUrl === null
    ? "You come back here afterwards."
    : `You come to ${new URL(redirectUrl).host} afterwards.`;

const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

const formatInstant = (at: Date): string => `${format.format(at)} UTC`;

const STYLES = `${STRIPE_STYLES}
.logo { display: block; max-width: min(100%, 16rem); max-height: 6rem; padding: .5rem; border-radius: .6rem; background: #fff; border: 1px solid var(--line); }
`;

const originOf = (logo: string | null): string | null =>
  logo === null || logo.startsWith("/") ? null : new URL(logo).origin;

function showPlain(
  c: AppContext,
  status: number,
  title: string,
  content: Child,
  link?: ShownLink,
): Promise<Response> {
  const imageSources = originOf(link?.logo ?? null);
  const page = { title, status, styles: STYLES };
  const formTargets = consentFormTargets(c.var.deps.config);
  return renderPlainPage(
    c,
    { ...page, formTargets, ...(imageSources ? { imageSources } : {}) },
    <>
      {link && <BrandStripe color={link.color} />}
      {link?.logo && (
        <img class="logo" src={link.logo} alt={link.brand ?? "Logo"} referrerpolicy="no-referrer" />
      )}
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {content}
    </>,
  );
}
