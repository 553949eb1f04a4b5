import { type Context, Hono } from "hono";
import { describeBrowser } from "../../core/browsers.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Day } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import {
  endOwnOtherSessions,
  endOwnSession,
  exportSelf,
  listSignIns,
  removeOwnPasskey,
  renameOwnPasskey,
  renameSelf,
} from "../sign-in/own.ts";
import { PASSKEY_SCRIPT_PATH } from "../sign-in/passkey-script.ts";
import { Button } from "./form-parts.tsx";
import { renderOwnPage, Section } from "./parts.tsx";

const PATH = "/app/me";

export const mePage = new Hono<PageEnv>();

type SignIns = Awaited<ReturnType<typeof listSignIns>>;

mePage.get(PATH, signedIn("read:pages"), async (c) => {
  const { passkeys, sessions } = await listSignIns(c.var.ctx);
  const { email, name, sessionId } = c.var.ctx.person;
  return renderOwnPage(
    c,
    { title: "You", here: null, scripts: [PASSKEY_SCRIPT_PATH] },
    <>
      <h1>You</h1>
      <Section id="about" title="About you">
        <p>
          You sign in as <strong>{email}</strong>.
        </p>
        <form method="post" action={`${PATH}/name`} class="row">
          <label>
            Name
            <input name="name" value={name ?? ""} maxlength={100} autocomplete="name" />
          </label>
          <Button tone="quiet">Save</Button>
        </form>
      </Section>
      <Passkeys passkeys={passkeys} />
      <Sessions sessions={sessions} here={sessionId} />
      <Section id="data" title="Your data">
        <p>
          All that is kept about you: your address and name, teams, sessions, passkeys, tokens, and
          where your notices go. Posts and accounts belong to the team.
        </p>
        <p>
          <a class="button quiet" href={`${PATH}/data`}>
            Download as JSON
          </a>
        </p>
      </Section>
    </>,
  );
});

const Passkeys = ({ passkeys }: Pick<SignIns, "passkeys">) => (
  <Section id="passkeys" title="Passkeys">
    <p class="muted">A passkey signs you in with your device's PIN, face or fingerprint.</p>
    {passkeys.length === 0 ? (
      <p>You have none yet.</p>
    ) : (
      <ul class="list">
        {passkeys.map(({ id, name, createdAt, backedUp }) => (
          <li>
            <form method="post" action={`${PATH}/passkeys/${id}/name`} class="row grow">
              <label>
                Passkey
                <input name="name" value={name ?? ""} required maxlength={100} />
              </label>
              <Button tone="quiet">Rename</Button>
            </form>
            <span class="muted">
              Added <Day at={createdAt} />, {backedUp ? "synced between devices" : "on one device"}
            </span>
            <form method="post" action={`${PATH}/passkeys/${id}/remove`}>
              <Button tone="danger" label={`Remove ${name ?? "passkey"}`}>
                Remove
              </Button>
            </form>
          </li>
        ))}
      </ul>
    )}
    <form id="add-passkey" class="row" hidden>
      <label>
        Name of a new passkey
        <input name="name" value="This device" required maxlength={100} />
      </label>
      <button type="submit">Add a passkey</button>
    </form>
    <p id="passkey-state" role="status" />
    <noscript>
      <p class="muted">Adding a passkey needs JavaScript.</p>
    </noscript>
  </Section>
);

const Sessions = ({ sessions, here }: Pick<SignIns, "sessions"> & { here: number }) => (
  <Section id="sessions" title="Where you are signed in">
    <ul class="list">
      {sessions.map(({ id, userAgent, ipAddress, createdAt, expiresAt }) => (
        <li>
          <span class="grow">
            {describeBrowser(userAgent)} {id === here && <span class="state good">This one</span>}
            <br />
            <span class="muted">
              Since <Day at={createdAt} />
              {ipAddress && `, from ${ipAddress}`}, until <Day at={expiresAt} />
            </span>
          </span>
          <form method="post" action={`${PATH}/sessions/${id}/end`}>
            <Button tone="quiet">Sign out</Button>
          </form>
        </li>
      ))}
    </ul>
    {sessions.length > 1 && (
      <form method="post" action={`${PATH}/sessions/end-others`}>
        <Button tone="danger">Sign out everywhere else</Button>
      </form>
    )}
  </Section>
);

mePage.get(`${PATH}/data`, signedIn("read:pages"), async (c) => {
  const all = await exportSelf(c.var.ctx);
  return c.body(JSON.stringify(all, null, 2), 200, {
    "content-type": "application/json; charset=utf-8",
    "content-disposition": 'attachment; filename="akimbo-me.json"',
    "cache-control": "no-store",
  });
});

const onPost = (path: string, change: (c: Context<PageEnv>) => Promise<void>) =>
  mePage.post(PATH + path, signedIn("write", { isPersonal: true }), async (c) => {
    await change(c);
    return c.redirect(PATH, 303);
  });

const idOf = (c: Context<PageEnv>, what: string) => readNumericId(c.req.param("id") ?? "", what);

onPost("/name", async (c) => renameSelf(c.var.ctx, textField(await readForm(c), "name")));
onPost("/sessions/end-others", (c) => endOwnOtherSessions(c.var.ctx));
onPost("/sessions/:id/end", (c) => endOwnSession(c.var.ctx, idOf(c, "Session")));
onPost("/passkeys/:id/name", async (c) => {
  const id = idOf(c, "Passkey");
  await renameOwnPasskey(c.var.ctx, id, textField(await readForm(c), "name"));
});
onPost("/passkeys/:id/remove", (c) => removeOwnPasskey(c.var.ctx, idOf(c, "Passkey")));
