import type { Child } from "hono/jsx";
import { SCOPE_WORDS } from "../../core/scope-words.ts";
import type { Scope } from "../../core/scopes.ts";
import { textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { platformName } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import type { PersonCtx } from "../auth/signed-in.ts";
import type { GrantRequest } from "./authorize.ts";
import type { Client } from "./clients.ts";
import type { Consent as Allowed } from "./consent.ts";

const LIFETIMES: readonly (readonly [days: number | null, text: string])[] = [
  [null, "until I end it"],
  [7, "for 7 days"],
  [30, "for 30 days"],
  [365, "for a year"],
];

export function readConsent(form: FormData): Allowed {
  const days = Number(textField(form, "days"));
  return {
    scopes: form.getAll("scopes") as Scope[],
    accounts:
      textField(form, "which") === "some"
        ? form.getAll("accounts").filter((one) => typeof one === "string")
        : null,
    days: LIFETIMES.some(([one]) => one === days) ? days : null,
  };
}

/** A person publishes with the command line; the posts of other programs wait for approval at first. */
const isTicked = ({ kind }: Client, scope: Scope): boolean =>
  kind === "cli" || scope !== "posts:publish";

interface ConsentProps {
  ctx: PersonCtx;
  request: GrantRequest;
  /** Addresses of the forms. */
  action: string;
  workspaceAction: string;
  accounts: readonly AccountRow[];
  notice: string | undefined;
  /** What the person chose before a refusal. */
  sent: FormData | null;
  /** Where the answer goes. */
  children: Child;
}

/** The question of a program, its forms and what they send: the same for programs with and without a browser. */
export const Consent = ({ ctx, request, accounts, notice, sent, ...props }: ConsentProps) => {
  const { client, scopes, resource } = request;
  const { person, actor } = ctx;
  const isSome = sent !== null && textField(sent, "which") === "some";
  return (
    <>
      <h1>Allow {client.name}?</h1>
      {notice !== undefined && (
        <p class="notice bad" role="alert">
          {notice}
        </p>
      )}
      <div class="card">
        <p>{whoIs(client)}</p>
        {props.children}
      </div>
      <p>
        You are signed in as <strong>{person.email}</strong>. <a href="/app/me">This is not me</a>
      </p>
      {person.teams.length > 1 && (
        <form method="post" action={props.workspaceAction} class="card row">
          <label>
            Workspace
            <select name="workspace">
              {person.teams.map(({ id, name }) => (
                <option value={String(id)} selected={id === actor.teamId}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <button class="quiet" type="submit">
            Take this one
          </button>
        </form>
      )}
      <TeamForm class="card fields" action={props.action}>
        <input type="hidden" name="person" value={String(actor.userId)} />
        <fieldset>
          <legend>In {person.teams.find(({ id }) => id === actor.teamId)?.name} it may</legend>
          {scopes.map((scope) => (
            <label>
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                checked={sent ? sent.getAll("scopes").includes(scope) : isTicked(client, scope)}
              />{" "}
              {SCOPE_WORDS[scope]}
            </label>
          ))}
          {scopes.includes("posts:publish") && (
            <p class="hint">
              {actor.needsApproval
                ? "Your posts wait for approval in this team, and so do the program's."
                : "Without “Publish posts”, each of its posts waits until a person approves it."}
            </p>
          )}
        </fieldset>
        {resource === "mcp" && accounts.length > 0 && (
          <fieldset>
            <legend>With</legend>
            <label>
              <input type="radio" name="which" value="all" checked={!isSome} /> all accounts, also
              those that are connected later
            </label>
            <label>
              <input type="radio" name="which" value="some" checked={isSome} /> only these:
            </label>
            <div class="checks">
              {accounts.map(({ id, accountName, platform }) => (
                <label>
                  <input
                    type="checkbox"
                    name="accounts"
                    value={id}
                    checked={sent?.getAll("accounts").includes(id)}
                  />{" "}
                  {accountName} ({platformName(platform)})
                </label>
              ))}
            </div>
          </fieldset>
        )}
        {resource === "api" && (
          <p class="hint">
            With all accounts of the workspace, also those that are connected later.
          </p>
        )}
        <label>
          How long
          <select name="days">
            {LIFETIMES.map(([days, text]) => (
              <option
                value={String(days ?? "")}
                selected={sent !== null && textField(sent, "days") === String(days ?? "")}
              >
                {text}
              </option>
            ))}
          </select>
          <span class="hint">
            A program that is not used for 60 days ends by itself. You can end it at any time on the
            page Tokens.
          </span>
        </label>
        <div class="row">
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
          <button type="submit" name="decision" value="deny" class="quiet">
            Refuse
          </button>
        </div>
      </TeamForm>
    </>
  );
};

function whoIs(client: Client): Child {
  switch (client.kind) {
    case "document":
      return (
        <>
          <strong>{client.name}</strong> wants to act for you. Its name is vouched for by{" "}
          <strong>{client.verifiedHost}</strong>.
        </>
      );
    case "registered":
      return (
        <>
          A program that calls itself <strong>{client.name}</strong> wants to act for you. It has
          registered itself: nothing proves its name.
        </>
      );
    case "app":
      return (
        <>
          <strong>{client.name}</strong> wants to act for you. It is an app that was registered here
          by the workspace <strong>{client.teamName}</strong>.
        </>
      );
    case "cli":
      return (
        <>
          The <strong>Akimbo command line</strong> wants to act for you.
        </>
      );
    default:
      throw client.kind satisfies never;
  }
}
