import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { toEmail } from "../../core/email.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import {
  createPersonCtx,
  type PageEnv,
  type Person,
  rememberTeam,
  signedIn,
} from "../auth/signed-in.ts";
import type { inviteByHash } from "../teams/repo/invites.ts";
import { endOfInvite, NO_PLACE } from "../teams/rules.ts";
import { acceptInvite, giveAddress, inviteOfLink, invitePath } from "../teams/service.ts";
import { NoticeLine } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { ROLE_WORDS } from "./team-parts.tsx";

export const invitePage = new Hono<AppEnv>();

type Invite = ReturnType<ReturnType<typeof inviteByHash>["read"]>[number];

invitePage.get("/invite/:token", async (c) => {
  const token = c.req.param("token");
  const { invite, person } = await findInvite(c, token, countVisitor(c, "read:pages"));
  return showInvite(c, { token, invite, person, refusal: null });
});

/** The 307 redirect sends the same form to the sign-in page. */
invitePage.post("/invite/:token", async (c) => {
  const token = c.req.param("token");
  const { invite, person } = await findInvite(c, token, countVisitor(c, "sign-in"));
  const form = await readForm(c);
  const email = toEmail(textField(form, "email"));
  if (endOfInvite(invite, c.var.deps.now()) || invite.isAddressed) {
    return showInvite(c, { token, invite, person, refusal: null });
  }
  const refusal = await attempt(async () => {
    if (email === null) {
      throw new AppError(null, "That is not an e-mail address. Check it and send it again.");
    }
    await giveAddress(c.var.deps, token, email);
  });
  if (refusal) return showInvite(c, { token, invite, person, refusal });
  return c.redirect("/sign-in", 307);
});

const acceptRoutes = new Hono<PageEnv>();

acceptRoutes.post("/invite/:token/accept", signedIn("write", { isPersonal: true }), async (c) => {
  const { ctx, deps } = c.var;
  const { teamId, hasJoined } = await acceptInvite(deps, c.req.param("token"), ctx.person);
  rememberTeam(c, teamId);
  return c.redirect(`/app/team?done=${hasJoined ? "joined" : "member"}`, 303);
});

invitePage.route("/", acceptRoutes);

/** @throws AppError NOT_FOUND, RATE_LIMIT */
async function findInvite(
  c: AppContext,
  token: string,
  admission: Promise<void>,
): Promise<{ invite: Invite; person: Person | null }> {
  await admission;
  const { deps } = c.var;
  const query = await inviteOfLink(deps, token);
  const cookies = c.req.header("cookie") ?? null;
  const presented = { cookies, origin: publicOrigin(deps, c.req.url), teamId: null, form: null };
  try {
    const ctx = await createPersonCtx(deps, presented, admission);
    const [[invite]] = await ctx.read("*", [query]);
    if (!invite) throw notFound("Invite");
    return { invite, person: ctx.person };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "UNAUTHORIZED")) throw error;
  }
  const [[invite]] = await deps.db.run([query]);
  if (!invite) throw notFound("Invite");
  return { invite, person: null };
}

interface Props {
  token: string;
  invite: Invite;
  person: Person | null;
  refusal: Shown | null;
}

function showInvite(c: AppContext, { token, invite, person, refusal }: Props) {
  const { team, teamId, invitedBy, role } = invite;
  if (person?.teams.some(({ id }) => id === teamId)) {
    return showPlain(c, 200, `You are in ${team}`, <OwnTeam teamId={teamId} />);
  }
  const end = endOfInvite(invite, c.var.deps.now());
  if (end) {
    return showPlain(
      c,
      end.status,
      "This invite is over",
      <>
        <p>{end.message}</p>
        <p>
          <a href="/app">Go to your own pages</a>
        </p>
      </>,
    );
  }
  return showPlain(
    c,
    refusal?.status ?? 200,
    `Join ${team}`,
    <>
      <p>
        {invitedBy} invites you to the team {team}, as {ROLE_WORDS[role].toLowerCase()}.
      </p>
      <NoticeLine notice={refusal?.notice ?? null} />
      {person ? (
        <Accept token={token} invite={invite} person={person} />
      ) : (
        <WayIn token={token} invite={invite} />
      )}
    </>,
  );
}

const showPlain = (c: AppContext, status: number, title: string, content: Child) =>
  renderPlainPage(
    c,
    { title, status },
    <>
      <h1>{title}</h1>
      {content}
    </>,
  );

const OwnTeam = ({ teamId }: { teamId: number }) => (
  <>
    <p>You are a member of this team already. Your role stays as it is.</p>
    <form method="post" action="/app/team/show">
      <input type="hidden" name="team" value={String(teamId)} />
      <button type="submit">Show the team</button>
    </form>
  </>
);

const Accept = ({ token, invite, person }: Pick<Props, "token" | "invite"> & { person: Person }) =>
  invite.isAddressed && invite.email !== person.email.toLowerCase() ? (
    <>
      <p>
        The invite is for {invite.email}, and you are signed in as {person.email}. Sign out, then
        open the link again; or ask for an invite to your own address.
      </p>
      <form method="post" action="/sign-in/out">
        <button type="submit">Sign out</button>
      </form>
    </>
  ) : (
    <>
      <p>You are signed in as {person.email}.</p>
      <form method="post" action={`${invitePath(token)}/accept`}>
        <button type="submit">Join the team</button>
      </form>
    </>
  );

const WayIn = ({ token, invite }: Pick<Props, "token" | "invite">) =>
  invite.hasPlace ? (
    <SignIn token={token} invite={invite} />
  ) : (
    <p>
      {NO_PLACE} You have an account here?{" "}
      <a href={`/sign-in?next=${encodeURIComponent(invitePath(token))}`}>Sign in</a>, and come back
      to this page.
    </p>
  );

const SignIn = ({ token, invite }: Pick<Props, "token" | "invite">) => {
  const path = invitePath(token);
  return (
    <>
      <form class="card fields" method="post" action={invite.isAddressed ? "/sign-in" : path}>
        <input type="hidden" name="next" value={path} />
        {invite.isAddressed ? (
          <>
            <p>The invite is for {invite.email}. We mail a sign-in link to that address.</p>
            <input type="hidden" name="email" value={invite.email ?? ""} />
          </>
        ) : (
          <label>
            Your e-mail address
            <input type="email" name="email" required maxlength={254} autocomplete="email" />
            <span class="hint">We mail a sign-in link to it, which leads back here.</span>
          </label>
        )}
        <div>
          <button type="submit">Send the sign-in link</button>
        </div>
      </form>
      <p class="muted">
        You have a passkey here? <a href={`/sign-in?next=${encodeURIComponent(path)}`}>Sign in</a>,
        and come back to this page.
      </p>
    </>
  );
};
