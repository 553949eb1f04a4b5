import { type Context, Hono } from "hono";
import { toEmail } from "../../core/email.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { clockOf } from "../../pages/times.tsx";
import { type PageEnv, rememberTeam, signedIn, viewerOf } from "../auth/signed-in.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { CHANGE_MESSAGES, removableRoles } from "../teams/rules.ts";
import * as teams from "../teams/service.ts";
import { Button } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";
import { InviteSection, MemberItem, RenameSection, ShowSection } from "./team-parts.tsx";

export const teamPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  ...CHANGE_MESSAGES,
  joined: "Welcome. You are a member of this team now.",
  left: "You have left the team. This is your own.",
  member: "You are a member of this team already, and your role stays. The invite is still open.",
  removed: "The member is removed. Their posts and accounts stay with the team.",
  renamed: "The team is renamed.",
  revoked: "The invite is revoked. Its link leads nowhere now.",
};

teamPage.get("/app/team", signedIn("read:pages"), (c) =>
  showTeam(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

teamPage.post("/app/team/show", signedIn("write", { isPersonal: true }), async (c) => {
  const teamId = readNumericId(textField(await readForm(c), "team"), "Team");
  if (!c.var.ctx.person.teams.some(({ id }) => id === teamId)) throw notFound("Team");
  rememberTeam(c, teamId);
  return c.redirect("/app", 303);
});

teamPage.post("/app/team/name", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { teamChangeSchema } = await import("../teams/schema.ts");
  const refused = await attempt(async () => {
    const { name } = readFields(teamChangeSchema, { name: textField(form, "name") });
    await teams.renameTeam(c.var.ctx, name);
  });
  return refused ? showTeam(c, refused) : c.redirect("/app/team?done=renamed", 303);
});

teamPage.post("/app/team/members/:id", signedIn("write"), async (c) => {
  const userId = readNumericId(c.req.param("id"), "Member");
  const form = await readForm(c);
  const { memberChangeSchema } = await import("../teams/schema.ts");
  const role = textField(form, "role");
  const active = textField(form, "active");
  let done = "";
  const refused = await attempt(async () => {
    const change = readFields(memberChangeSchema, {
      ...(role === "" ? {} : { role }),
      ...(active === "" ? {} : { isActive: active === "yes" }),
    });
    done = (await teams.changeMember(c.var.ctx, userId, change)).kind;
  });
  return refused ? showTeam(c, refused) : c.redirect(`/app/team?done=${done}`, 303);
});

teamPage.get("/app/team/members/:id/remove", signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const userId = readNumericId(c.req.param("id"), "Member");
  const members = await teams.listMembers(ctx);
  const member = members.find((one) => one.userId === userId);
  if (!member) throw notFound("Member");
  const isSelf = userId === ctx.actor.userId;
  return renderOwnPage(
    c,
    { title: isSelf ? "Leave the team" : "Remove a member", here: "/app/team" },
    <>
      <h1>{isSelf ? `Leave ${viewerOf(c).team.name}?` : `Remove ${member.email}?`}</h1>
      <div class="card">
        <p>
          {isSelf ? "You lose" : "They lose"} access at once. Tokens made for this team alone are
          revoked, and the invites, review links, report links, connection pages and calendar feeds
          that {isSelf ? "you" : "they"} made end. Posts and accounts stay with the team. A new
          invite leads back in.
        </p>
        <TeamForm class="row" action={`/app/team/members/${userId}/remove`}>
          <Button tone="danger">{isSelf ? "Leave the team" : "Remove the member"}</Button>
          <a class="button quiet" href="/app/team">
            {isSelf ? "Stay" : "Keep them"}
          </a>
        </TeamForm>
      </div>
    </>,
  );
});

teamPage.post("/app/team/members/:id/remove", signedIn("destructive"), async (c) => {
  const userId = readNumericId(c.req.param("id"), "Member");
  const { ctx } = c.var;
  const refused = await attempt(() => teams.removeMember(ctx, userId));
  if (refused) return showTeam(c, refused);
  const done = userId === ctx.actor.userId ? "left" : "removed";
  return c.redirect(`/app/team?done=${done}`, 303);
});

teamPage.post("/app/team/invites", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { newInviteSchema } = await import("../teams/schema.ts");
  const email = textField(form, "email");
  let link = "";
  const refused = await attempt(async () => {
    if (email !== "" && toEmail(email) === null) {
      throw new AppError(null, "That is not an e-mail address. Check it, then invite again.");
    }
    const invite = readFields(newInviteSchema, {
      role: textField(form, "role"),
      ...(email === "" ? {} : { email }),
    });
    const origin = publicOrigin(c.var.deps, c.req.url);
    link = (await teams.createInvite(c.var.ctx, invite, origin)).link;
  });
  return showTeam(c, refused ?? { notice: null, status: 200, link });
});

teamPage.post("/app/team/invites/:id/revoke", signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Invite");
  const refused = await attempt(() => teams.revokeInvite(c.var.ctx, id));
  return refused ? showTeam(c, refused) : c.redirect("/app/team?done=revoked", 303);
});

async function showTeam(
  c: Context<PageEnv>,
  { notice, status, link = "" }: Shown & { link?: string },
): Promise<Response> {
  const { ctx } = c.var;
  const [[zone = null], members, invites] = await ctx.read("team:read", [
    zoneOfTeam({ team: ctx.team }),
    ...teams.lookUpTeam(ctx),
  ]);
  const clock = clockOf(zone);
  const viewer = viewerOf(c);
  const { actor } = ctx;
  const rightsOn = ({ userId, role }: teams.Member) => {
    const isSelf = userId === actor.userId;
    return {
      isSelf,
      canChange: actor.role === "OWNER" && role !== "OWNER",
      canRemove: removableRoles(actor, isSelf).includes(role),
    };
  };
  return renderOwnPage(
    c,
    { title: "Team", here: "/app/team", status },
    <>
      <h1>{viewer.team.name}</h1>
      <NoticeLine notice={notice} />
      {link !== "" && (
        <section class="notice" role="status" aria-labelledby="link">
          <h2 id="link">The invite link</h2>
          <p>Copy it and send it to them. It is shown this once, and works once, for 7 days.</p>
          <pre>{link}</pre>
        </section>
      )}
      {viewer.teams.length > 1 && <ShowSection viewer={viewer} />}
      <Section id="members" title={members.length === 1 ? "1 member" : `${members.length} members`}>
        <ul class="list">
          {members.map((member) => (
            <MemberItem member={member} clock={clock} {...rightsOn(member)} />
          ))}
        </ul>
      </Section>
      {actor.role !== "MEMBER" && <InviteSection invites={invites} clock={clock} />}
      {actor.role === "OWNER" && <RenameSection name={viewer.team.name} />}
    </>,
  );
}
