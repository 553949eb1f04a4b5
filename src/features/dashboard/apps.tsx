import { type Context, Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { SCOPE_WORDS } from "../../core/scope-words.ts";
import { ANNOUNCED_SCOPES } from "../../core/scopes.ts";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import {
  changeApp,
  connectionFacts,
  deleteApp,
  getManagedApp,
  type RegisteredApp,
  registerApp,
  replaceSecret,
} from "../oauth/apps.ts";
import { type App, appById, appsOf } from "../oauth/repo/apps.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, Choice, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { attemptForm, type FieldRefusals, NO_REFUSALS } from "./marked-fields.ts";
import { formCall } from "./once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";

/** Programs of others that offer “Connect Akimbo”. */
export const appsPage = new Hono<PageEnv>();

type Page = Context<PageEnv>;

const SETTINGS = "/app/settings";
const PATH = `${SETTINGS}/apps`;

const STYLES = `
.whole { user-select: all; overflow-wrap: anywhere; white-space: pre-wrap; }
`;

const DONE_MESSAGES: Record<string, string> = {
  changed: "The app is changed.",
  deleted: "The app is deleted, and what people allowed it has ended.",
};

appsPage.get(PATH, signedIn("read:pages"), (c) =>
  showApps(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

appsPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const input = { ...readApp(form), isPublic: textField(form, "kind") === "public" };
  let made: RegisteredApp = { id: "", secret: null };
  const refused = await attemptForm(async () => {
    made = await registerApp(c.var.ctx, input, formCall(c));
  });
  if (refused) return showApps(c, { ...refused, sent: form });
  return showApp(c, made.id, { notice: null, status: 200, isNew: true, secret: made.secret });
});

const readApp = (form: FormData) => ({
  name: textField(form, "name"),
  redirectUris: textField(form, "redirectUris"),
});

const idOf = (c: Page): string => c.req.param("id") ?? "";

appsPage.get(`${PATH}/:id`, signedIn("read:pages"), (c) =>
  showApp(c, idOf(c), {
    notice: doneNotice(DONE_MESSAGES, c.req.query("done")),
    status: 200,
  }),
);

appsPage.post(`${PATH}/:id`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const refused = await attemptForm(() => changeApp(c.var.ctx, idOf(c), readApp(form)));
  return refused
    ? showApp(c, idOf(c), { ...refused, sent: form })
    : c.redirect(`${PATH}/${idOf(c)}?done=changed`, 303);
});

const peopleOf = (people: number): string => (people === 1 ? "1 person" : `${people} people`);

const isPublic = ({ authMethod }: App): boolean => authMethod === "none";

appsPage.get(`${PATH}/:id/secret`, signedIn("read:pages"), async (c) => {
  const app = await getManagedApp(c.var.ctx, idOf(c));
  if (isPublic(app)) throw notFound("Secret");
  return renderOwnPage(
    c,
    { title: "New secret of an app", here: SETTINGS },
    <>
      <h1>Give “{app.name}” a new secret?</h1>
      <div class="card">
        <p>
          The old secret ends at once. Enter the new one in the other program then: without it, the
          program can connect no more people, and for {peopleOf(app.people)} its access cannot be
          renewed after an hour.
        </p>
        <TeamForm class="row" action={`${PATH}/${app.id}/secret`}>
          <Button tone="danger">Make a new secret</Button>
          <a class="button quiet" href={`${PATH}/${app.id}`}>
            Keep the old one
          </a>
        </TeamForm>
      </div>
    </>,
  );
});

appsPage.post(`${PATH}/:id/secret`, signedIn("write"), async (c) => {
  let secret = "";
  const refused = await attempt(async () => {
    secret = await replaceSecret(c.var.ctx, idOf(c));
  });
  return showApp(c, idOf(c), refused ?? { notice: null, status: 200, secret });
});

appsPage.get(`${PATH}/:id/delete`, signedIn("read:pages"), async (c) => {
  const app = await getManagedApp(c.var.ctx, idOf(c));
  return renderOwnPage(
    c,
    { title: "Delete an app", here: SETTINGS },
    <>
      <h1>Delete “{app.name}”?</h1>
      <div class="card">
        <p>
          {app.people === 0
            ? "Nothing is connected by it. "
            : `${peopleOf(app.people)} allowed it to act for them. That ends at once, with the review links, report links and connection pages that it made. `}
          It cannot be brought back: another app gets another client id.
        </p>
        <TeamForm class="row" action={`${PATH}/${app.id}/delete`}>
          <Button tone="danger">Delete the app</Button>
          <a class="button quiet" href={`${PATH}/${app.id}`}>
            Keep it
          </a>
        </TeamForm>
      </div>
    </>,
  );
});

appsPage.post(`${PATH}/:id/delete`, signedIn("destructive"), async (c) => {
  const refused = await attempt(() => deleteApp(c.var.ctx, idOf(c)));
  return refused ? showApp(c, idOf(c), refused) : c.redirect(`${PATH}?done=deleted`, 303);
});

interface FormShown extends Shown {
  sent?: FormData;
  fields?: FieldRefusals;
}

async function showApps(c: Page, { notice, status, sent, fields }: FormShown): Promise<Response> {
  const { ctx } = c.var;
  const [[zone = null], apps] = await ctx.read("team:read", [
    zoneOfTeam({ team: ctx.team }),
    appsOf({ team: ctx.team, at: ctx.now() }),
  ]);
  return renderOwnPage(
    c,
    { title: "Apps", here: SETTINGS, status, styles: STYLES },
    <>
      <p>
        <a href={SETTINGS}>Settings</a>
      </p>
      <h1>Apps</h1>
      <NoticeLine notice={notice} />
      <Section id="apps" title={apps.length === 1 ? "1 app" : `${apps.length} apps`}>
        <p class="muted">
          An app is another program that offers “Connect Akimbo”, such as n8n, Zapier or one of your
          own. All people of this instance may allow it, each for a workspace of their own.
        </p>
        {apps.length > 0 && (
          <ul class="list">
            {apps.map((app) => (
              <AppItem app={app} clock={clockOf(zone)} />
            ))}
          </ul>
        )}
      </Section>
      {ctx.actor.role === "MEMBER" ? (
        <p class="muted">The owner and admins of the team register apps.</p>
      ) : (
        <Section id="new" title="Register an app">
          <TeamForm class="fields" action={PATH} makes>
            <AppFields sent={sent} refusals={fields ?? NO_REFUSALS} />
            <Choice
              name="kind"
              label="Kind"
              chosen={sent ? textField(sent, "kind") : "secret"}
              options={[
                ["secret", "with a secret: it runs on a server, such as n8n or Zapier"],
                ["public", "public: it runs in a browser or on a phone"],
              ]}
            />
            <SubmitLine>Register the app</SubmitLine>
          </TeamForm>
        </Section>
      )}
      <Facts origin={publicOrigin(c.var.deps, c.req.url)} clientId={null} />
    </>,
  );
}

const Use = ({ app, clock }: { app: App; clock: Clock }) => (
  <p class="muted">
    Allowed by {peopleOf(app.people)} · registered <Time at={app.createdAt} clock={clock} /> ·{" "}
    {app.usedAt ? (
      <>
        last used <Time at={app.usedAt} clock={clock} />, give or take a day
      </>
    ) : (
      "not used yet"
    )}
  </p>
);

const Kind = ({ app }: { app: App }) => (
  <State text={isPublic(app) ? "Public" : "With a secret"} tone="" />
);

const AppItem = ({ app, clock }: { app: App; clock: Clock }) => (
  <li>
    <div class="grow">
      <a href={`${PATH}/${app.id}`}>{app.name}</a> <Kind app={app} />
      <Use app={app} clock={clock} />
    </div>
  </li>
);

interface FieldsProps {
  app?: App;
  sent: FormData | undefined;
  refusals: FieldRefusals;
}

const AppFields = ({ app, sent, refusals }: FieldsProps) => {
  const refusal = refusals.get("redirectUris");
  const value = (name: string, stored: string | undefined) =>
    sent ? textField(sent, name) : (stored ?? "");
  return (
    <>
      <InputField
        id="name"
        label="Name"
        hint="people see it when they are asked to allow the app"
        required
        maxlength={80}
        autocomplete="off"
        value={value("name", app?.name)}
        refusal={refusals.get("name") ?? null}
      />
      <Field
        id="redirectUris"
        label="Redirect addresses"
        hint="one a line, up to 10, exactly as the other program shows them; it often calls them callback or redirect URL"
      >
        <textarea
          id="redirectUris"
          name="redirectUris"
          rows={3}
          required
          placeholder="https://"
          {...(refusal ? { "aria-invalid": "true", "aria-describedby": "redirectUris-error" } : {})}
        >
          {value("redirectUris", app?.redirectUris.join("\n"))}
        </textarea>
        {refusal && (
          <p class="error" id="redirectUris-error" role="alert">
            {refusal}
          </p>
        )}
      </Field>
    </>
  );
};

const Facts = ({ origin, clientId }: { origin: string; clientId: string | null }) => {
  const { authorizationUrl, tokenUrl, resource, scopes } = connectionFacts(origin);
  return (
    <Section id="facts" title="What to enter in the other program">
      <dl>
        <Fact name="Grant type">Authorization code with PKCE (S256), which is always needed</Fact>
        <Whole name="Authorization URL" text={authorizationUrl} />
        <Whole name="Token URL" text={tokenUrl} />
        {clientId !== null && <Whole name="Client id" text={clientId} />}
        <Fact name="Client secret">
          by Basic authentication or in the body; a public app has none
        </Fact>
        <Whole name="Scopes" text={ANNOUNCED_SCOPES.join(" ")} />
        <Whole name="Address of the API" text={resource} />
      </dl>
      <details>
        <summary>All scopes</summary>
        <pre class="whole">{scopes.join(" ")}</pre>
        <ul>
          {scopes.map((scope) => (
            <li>
              <code>{scope}</code>: {SCOPE_WORDS[scope]}
            </li>
          ))}
        </ul>
      </details>
      <p class="muted">
        Ask for as few scopes as the app needs. People can allow less. Without{" "}
        <code>posts:publish</code>, each post of the app waits for approval.
      </p>
    </Section>
  );
};

const Whole = ({ name, text }: { name: string; text: string }) => (
  <Fact name={name}>
    <pre class="whole">{text}</pre>
  </Fact>
);

interface AppShown extends FormShown {
  isNew?: boolean;
  /** Null for a new public app. */
  secret?: string | null;
}

async function showApp(c: Page, id: string, shown: AppShown): Promise<Response> {
  const { ctx } = c.var;
  const { notice, status, sent, fields, isNew = false, secret = null } = shown;
  const [[zone = null], [app]] = await ctx.read("team:read", [
    zoneOfTeam({ team: ctx.team }),
    appById({ team: ctx.team, id, at: ctx.now() }),
  ]);
  if (!app) throw notFound("App");
  const isManager = ctx.actor.role !== "MEMBER";
  const path = `${PATH}/${app.id}`;
  return renderOwnPage(
    c,
    { title: "App", here: SETTINGS, status, styles: STYLES },
    <>
      <p>
        <a href={PATH}>All apps</a>
      </p>
      <h1>{app.name}</h1>
      <NoticeLine notice={notice} />
      {(isNew || secret !== null) && (
        <section class="notice" role="status" aria-labelledby="made">
          <h2 id="made">{isNew ? "The app is registered" : "The new secret"}</h2>
          {secret === null ? (
            <p>It is public and has no secret. Its client id is below.</p>
          ) : (
            <>
              <p>Copy the secret now: it is shown this once.</p>
              <pre class="whole">{secret}</pre>
            </>
          )}
        </section>
      )}
      <section class="card" aria-label="State">
        <Kind app={app} />
        <Use app={app} clock={clockOf(zone)} />
        {isManager && (
          <div class="row">
            {!isPublic(app) && (
              <a class="button quiet" href={`${path}/secret`}>
                New secret…
              </a>
            )}
            <a class="button quiet" href={`${path}/delete`}>
              Delete…
            </a>
          </div>
        )}
      </section>
      <Facts origin={publicOrigin(c.var.deps, c.req.url)} clientId={app.id} />
      <Section id="change" title="Name and addresses">
        {isManager ? (
          <TeamForm class="fields" action={path}>
            <AppFields app={app} sent={sent} refusals={fields ?? NO_REFUSALS} />
            <SubmitLine>Save</SubmitLine>
          </TeamForm>
        ) : (
          <ul>
            {app.redirectUris.map((uri) => (
              <li class="text">{uri}</li>
            ))}
          </ul>
        )}
      </Section>
    </>,
  );
}
