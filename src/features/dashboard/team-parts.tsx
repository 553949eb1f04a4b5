import type { Role } from "../../deps.ts";
import type { Viewer } from "../../pages/app-layout.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import type { InviteRow } from "../teams/repo/invites.ts";
import type { Member } from "../teams/service.ts";
import { Button } from "./form-parts.tsx";
import { Section, State } from "./parts.tsx";

export const ROLE_WORDS: Record<Role, string> = {
  OWNER: "Owner",
  ADMIN: "Admin",
  MEMBER: "Member",
};

const RoleOptions = ({ chosen }: { chosen: Role }) => (
  <>
    {(["MEMBER", "ADMIN"] as const).map((role) => (
      <option value={role} selected={role === chosen}>
        {ROLE_WORDS[role]}
      </option>
    ))}
  </>
);

export const ShowSection = ({ viewer }: { viewer: Viewer }) => (
  <Section id="teams" title="Your teams">
    <form class="row" method="post" action="/app/team/show">
      <label>
        Team to show
        <select name="team">
          {viewer.teams.map(({ id, name }) => (
            <option value={String(id)} selected={id === viewer.team.id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Button tone="quiet">Show</Button>
    </form>
  </Section>
);

interface MemberProps {
  member: Member;
  clock: Clock;
  isSelf: boolean;
  canChange: boolean;
  canRemove: boolean;
}

export const MemberItem = ({ member, clock, isSelf, canChange, canRemove }: MemberProps) => {
  const { userId, email, role, isActive, joinedAt } = member;
  const path = `/app/team/members/${userId}`;
  return (
    <li>
      <div class="grow">
        <strong>{email}</strong>
        {isSelf && " (you)"}
        <p class="muted">
          {ROLE_WORDS[role]}, joined <Time at={joinedAt} clock={clock} />
        </p>
      </div>
      {!isActive && <State text="Deactivated" tone="wait" />}
      {canChange && (
        <>
          <TeamForm class="row" action={path}>
            <label>
              <span class="hidden">Role of {email}</span>
              <select name="role">
                <RoleOptions chosen={role} />
              </select>
            </label>
            <Button tone="quiet" label={`Save role of ${email}`}>
              Save role
            </Button>
          </TeamForm>
          <TeamForm action={path}>
            <input type="hidden" name="active" value={isActive ? "no" : "yes"} />
            <Button tone="quiet" label={`${isActive ? "Deactivate" : "Activate"} ${email}`}>
              {isActive ? "Deactivate" : "Activate"}
            </Button>
          </TeamForm>
        </>
      )}
      {canRemove && (
        <a
          class="button quiet"
          href={`${path}/remove`}
          aria-label={isSelf ? "Leave the team" : `Remove ${email}`}
        >
          {isSelf ? "Leave…" : "Remove…"}
        </a>
      )}
    </li>
  );
};

const InviteItem = ({ invite, clock }: { invite: InviteRow; clock: Clock }) => {
  const { id, email, isAddressed, role, expiresAt } = invite;
  const who = isAddressed && email !== null ? email : "Anybody with the link";
  return (
    <li>
      <div class="grow">
        <strong>{who}</strong>
        <p class="muted">
          {ROLE_WORDS[role]}, until <Time at={expiresAt} clock={clock} />
        </p>
      </div>
      <TeamForm action={`/app/team/invites/${id}/revoke`}>
        <Button tone="quiet" label={`Revoke the invite of ${who}`}>
          Revoke
        </Button>
      </TeamForm>
    </li>
  );
};

export const InviteSection = ({
  invites,
  clock,
}: {
  invites: readonly InviteRow[];
  clock: Clock;
}) => (
  <Section id="invites" title="Invites">
    {invites.length > 0 ? (
      <ul class="list">
        {invites.map((invite) => (
          <InviteItem invite={invite} clock={clock} />
        ))}
      </ul>
    ) : (
      <p class="muted">No invite is open.</p>
    )}
    <TeamForm class="fields" action="/app/team/invites">
      <label>
        E-mail address
        <input type="email" name="email" maxlength={254} autocomplete="off" />
        <span class="hint">
          Only this address can accept. Without an address, anybody with the link can.
        </span>
      </label>
      <label>
        Role
        <select name="role">
          <RoleOptions chosen="MEMBER" />
        </select>
      </label>
      <div>
        <button type="submit">Make an invite link</button>
      </div>
    </TeamForm>
  </Section>
);

export const RenameSection = ({ name }: { name: string }) => (
  <Section id="name" title="Name of the team">
    <TeamForm class="row" action="/app/team/name">
      <label>
        Name
        <input name="name" required maxlength={200} value={name} autocomplete="off" />
      </label>
      <Button tone="quiet">Rename</Button>
    </TeamForm>
  </Section>
);
