import { type Context, Hono } from "hono";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import type { AppCheck } from "../../platforms/login.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import type { InstanceSetup } from "../setup/service.ts";
import { type Notice, NoticeLine, renderOwnPage, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";

export const setupPage = new Hono<PageEnv>();

const PATH = "/app/setup";

const STYLES = `
.head { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center; justify-content: space-between; }
.address { user-select: all; overflow-wrap: anywhere; white-space: pre-wrap; margin: .2rem 0 0; }
dd code { overflow-wrap: anywhere; }
`;

setupPage.get(PATH, signedIn("read:pages"), (c) => show(c, { notice: null, status: 200 }));

// No redirect is needed, because the check may be repeated.
setupPage.post(`${PATH}/check`, signedIn("write", { isPersonal: true }), async (c) => {
  const platform = textField(await readForm(c), "platform");
  const { checkPlatform } = await import("../setup/service.ts");
  let notice: Notice | null = null;
  const refused = await attempt(async () => {
    notice = toNotice(await checkPlatform(c.var.ctx, platform, originOf(c)));
  });
  return show(c, refused ?? { notice, status: 200 });
});

const originOf = (c: Context<PageEnv>): string => publicOrigin(c.var.deps, c.req.url);

const toNotice = ({ verdict, message }: AppCheck): Notice => ({
  text: message,
  isRefusal: verdict === "wrong",
});

async function show(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { listSetup } = await import("../setup/service.ts");
  const platforms = await listSetup(c.var.ctx, originOf(c));
  return renderOwnPage(
    c,
    {
      title: "Setup",
      here: "/app/accounts",
      styles: STYLES,
      status,
    },
    <>
      <p>
        <a href="/app/accounts">All accounts</a>
      </p>
      <h1>Setup of this instance</h1>
      <NoticeLine notice={notice} />
      <p class="muted">
        Before people can connect accounts of a platform, it needs an app of yours there, and the
        app's keys here: as secrets of the deployed Worker, or in <code>.dev.vars</code> of a local
        one. Only you, the owner of this instance, see this page. It shows no value of a key.
      </p>
      {platforms.map((setup) => (
        <PlatformCard setup={setup} />
      ))}
    </>,
  );
}

const stateOf = ({ app, missing, variables }: InstanceSetup): { text: string; tone: string } => {
  if (app === null) return { text: "Needs no app", tone: "good" };
  if (missing.length === 0) return { text: "Set up", tone: "good" };
  return missing.length < variables.length
    ? { text: "Half set up", tone: "bad" }
    : { text: "Not set up", tone: "" };
};

const PlatformCard = ({ setup }: { setup: InstanceSetup }) => {
  const { platform, name, app, review, addresses, document } = setup;
  return (
    <section class="card" aria-labelledby={platform}>
      <div class="head">
        <h2 id={platform}>{name}</h2>
        <State {...stateOf(setup)} />
      </div>
      <p>
        {app ?? `Accounts of ${name} are connected without an app: nothing is registered there.`}
      </p>
      <dl>
        <Variables setup={setup} />
        {addresses.map(({ field, url }) => (
          <Address name={field} url={url} />
        ))}
        {document !== null && <Address name="Read by its servers" url={document} />}
        <Scopes setup={setup} />
        {app !== null && <Fact name="Review">{review ?? "None."}</Fact>}
      </dl>
      {setup.isCheckable && (
        <form method="post" action={`${PATH}/check`}>
          <button class="quiet" type="submit" name="platform" value={platform}>
            Check<span class="hidden"> the app at {name}</span>
          </button>
        </form>
      )}
    </section>
  );
};

const Variables = ({ setup: { variables, key, missing } }: { setup: InstanceSetup }) => {
  const names = key ? [...variables, key.variable] : variables;
  if (names.length === 0) return null;
  return (
    <Fact name="Variables">
      {names.map((name) => (
        <div>
          <code>{name}</code> {missing.includes(name) ? "is missing" : "is set"}.
          {name === key?.variable && missing.includes(name) && ` ${key.without}`}
        </div>
      ))}
    </Fact>
  );
};

const Address = ({ name, url }: { name: string; url: string }) => (
  <Fact name={name}>
    <code class="address">{url}</code>
  </Fact>
);

const Scopes = ({ setup: { required, optional, appScopes } }: { setup: InstanceSetup }) => (
  <>
    <Fact name="Required permissions">
      <code>{required.join(" ")}</code>
    </Fact>
    {optional.length > 0 && (
      <Fact name="Optional permissions">
        <code>{optional.join(" ")}</code>
      </Fact>
    )}
    {appScopes !== null && (
      <Fact name="Asked for here">
        <code>{appScopes.join(" ")}</code>, by <code>APP_SCOPES</code>
      </Fact>
    )}
  </>
);
