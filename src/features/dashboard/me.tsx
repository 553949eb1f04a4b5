import { Hono } from "hono";
import { describeBrowser } from "../../core/browsers.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderAppPage } from "../../pages/app-layout.tsx";
import { type PageEnv, signedIn, viewerOf } from "../auth/signed-in.ts";
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

const PATH = "/app/me";

export const mePage = new Hono<PageEnv>();

type SignIns = Awaited<ReturnType<typeof listSignIns>>;

mePage.get(PATH, signedIn("read:pages"), async (c) => {
  const { passkeys, sessions } = await listSignIns(c.var.ctx);
  const { email, name, sessionId } = c.var.ctx.person;
  return renderAppPage(
    c,
    viewerOf(c),
    { title: "You", here: null, scripts: [PASSKEY_SCRIPT_PATH] },
    <>
      <h1>You</h1>
      <section class="card" aria-labelledby="about">
        <h2 id="about">About you</h2>
        <p>
          You sign in as <strong>{email}</strong>.
        </p>
        <form method="post" action={`${PATH}/name`} class="row">
          <label>
            Name
            <input name="name" value={name ?? ""} maxlength={100} autocomplete="name" />
          </label>
          <button class="quiet" type="submit">
            Save
          </button>
        </form>
      </section>
      <Passkeys passkeys={passkeys} />
      <Sessions sessions={sessions} here={sessionId} />
      <section class="card" aria-labelledby="data">
        <h2 id="data">Your data</h2>
        <p>
          All that is kept about you: your address and name, teams, sessions, passkeys, tokens, and
          where your notices go. Posts and accounts belong to the team.
        </p>
        <p>
          <a class="button quiet" href={`${PATH}/data`}>
            Download as JSON
          </a>
        </p>
      </section>
    </>,
  );
});

const Passkeys = ({ passkeys }: Pick<SignIns, "passkeys">) => (
  <section class="card" aria-labelledby="passkeys">
    <h2 id="passkeys">Passkeys</h2>
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
              <button class="quiet" type="submit">
                Rename
              </button>
            </form>
            <span class="muted">
              Added {dayOf(createdAt)}, {backedUp ? "synced between devices" : "on one device"}
            </span>
            <form method="post" action={`${PATH}/passkeys/${id}/remove`}>
              <button class="danger" type="submit" aria-label={`Remove ${name ?? "passkey"}`}>
                Remove
              </button>
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
  </section>
);

const Sessions = ({ sessions, here }: Pick<SignIns, "sessions"> & { here: number }) => (
  <section class="card" aria-labelledby="sessions">
    <h2 id="sessions">Where you are signed in</h2>
    <ul class="list">
      {sessions.map(({ id, userAgent, ipAddress, createdAt, expiresAt }) => (
        <li>
          <span class="grow">
            {describeBrowser(userAgent)} {id === here && <span class="state good">This one</span>}
            <br />
            <span class="muted">
              Since {dayOf(createdAt)}
              {ipAddress && `, from ${ipAddress}`}, until {dayOf(expiresAt)}
            </span>
          </span>
          <form method="post" action={`${PATH}/sessions/${id}/end`}>
            <button class="quiet" type="submit">
              Sign out
            </button>
          </form>
        </li>
      ))}
    </ul>
    {sessions.length > 1 && (
      <form method="post" action={`${PATH}/sessions/end-others`}>
        <button class="danger" type="submit">
          Sign out everywhere else
        </button>
      </form>
    )}
  </section>
);

const dayOf = (at: Date) => (
  <time datetime={at.toISOString()}>{at.toISOString().slice(0, "2026-11-20".length)}</time>
);

mePage.get(`${PATH}/data`, signedIn("read:pages"), async (c) => {
  const all = await exportSelf(c.var.ctx);
  return c.body(JSON.stringify(all, null, 2), 200, {
    "content-type": "application/json; charset=utf-8",
    "content-disposition": 'attachment; filename="akimbo-me.json"',
    "cache-control": "no-store",
  });
});

mePage.post(`${PATH}/name`, signedIn("write", { isPersonal: true }), async (c) => {
  await renameSelf(c.var.ctx, textField(await readForm(c), "name"));
  return c.redirect(PATH, 303);
});

mePage.post(`${PATH}/sessions/end-others`, signedIn("write", { isPersonal: true }), async (c) => {
  await endOwnOtherSessions(c.var.ctx);
  return c.redirect(PATH, 303);
});

mePage.post(`${PATH}/sessions/:id/end`, signedIn("write", { isPersonal: true }), async (c) => {
  await endOwnSession(c.var.ctx, readNumericId(c.req.param("id"), "Session"));
  return c.redirect(PATH, 303);
});

mePage.post(`${PATH}/passkeys/:id/name`, signedIn("write", { isPersonal: true }), async (c) => {
  await renameOwnPasskey(
    c.var.ctx,
    readNumericId(c.req.param("id"), "Passkey"),
    textField(await readForm(c), "name"),
  );
  return c.redirect(PATH, 303);
});

mePage.post(`${PATH}/passkeys/:id/remove`, signedIn("write", { isPersonal: true }), async (c) => {
  await removeOwnPasskey(c.var.ctx, readNumericId(c.req.param("id"), "Passkey"));
  return c.redirect(PATH, 303);
});
