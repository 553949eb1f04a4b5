import { type Context, Hono } from "hono";
import { AppError, notFound } from "../../core/errors.ts";
import { SCOPE_WORDS } from "../../core/scope-words.ts";
import { coversScope, SCOPES, type Scope } from "../../core/scopes.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { type OwnTeam, type PageEnv, signedIn } from "../auth/signed-in.ts";
import { type Program, programsOf } from "../oauth/repo/programs.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { type TokenRow, tokensOfUser } from "../tokens/repo.ts";
import { createToken, revokeToken } from "../tokens/service.ts";
import { Button } from "./form-parts.tsx";
import { formCall } from "./once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";

export const tokensPage = new Hono<PageEnv>();

const wordsOfScopes = (scopes: readonly Scope[]): string => {
  const least = scopes.filter(
    (scope) => !scopes.some((other) => other !== scope && coversScope([other], scope)),
  );
  const words = least.map((scope) => SCOPE_WORDS[scope]);
  return words.map((text) => text.charAt(0).toLowerCase() + text.slice(1)).join(", ");
};

const DONE_MESSAGES = {
  revoked: "It is ended. Calls with it are refused from now on.",
  extended: "The program may do more from its next call on.",
};

tokensPage.get("/app/tokens", signedIn("read:pages"), (c) =>
  showTokens(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

tokensPage.post("/app/tokens", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { newTokenSchema } = await import("../tokens/schema.ts");
  const team = textField(form, "team");
  const scopes = form.getAll("scopes");
  let created = "";
  const refused = await attempt(async () => {
    if (scopes.length === 0) {
      throw new AppError(null, "Choose what the token may do, then create it again.");
    }
    const input = readFields(newTokenSchema, {
      name: textField(form, "name"),
      scopes,
      ...(team === "" ? {} : { teamId: Number(team) }),
    });
    created = (await createToken(c.var.ctx, input, formCall(c))).token;
  });
  return showTokens(
    c,
    refused ? { ...refused, sent: form } : { notice: null, status: 200, created },
  );
});

tokensPage.get("/app/tokens/:id/revoke", signedIn("read:pages"), async (c) => {
  const { all, tokens, clock } = await readTokens(c);
  const id = readNumericId(c.req.param("id"), "Token");
  const token = all.find((one) => one.id === id);
  if (!token) throw notFound("Token");
  const isProgram = !tokens.includes(token);
  return renderOwnPage(
    c,
    { title: isProgram ? "End a program" : "Revoke a token", here: "/app/tokens" },
    <>
      <h1>
        {isProgram ? "End" : "Revoke"} “{token.name}”?
      </h1>
      <div class="card">
        <p>
          {isProgram ? (
            "Its calls are refused at once. It can only ask you again. "
          ) : (
            <>
              Calls with <code>{token.hint}</code> are refused at once, and it cannot be brought
              back.{" "}
            </>
          )}
          Other tokens, open invitations, review links, report links, connection pages and calendar
          feeds that were made with it end too. <LastUse token={token} clock={clock} />
        </p>
        <TeamForm class="row" action={`/app/tokens/${id}/revoke`}>
          <Button tone="danger">{isProgram ? "End the program" : "Revoke the token"}</Button>
          <a class="button quiet" href="/app/tokens">
            Keep it
          </a>
        </TeamForm>
      </div>
    </>,
  );
});

tokensPage.post("/app/tokens/:id/revoke", signedIn("destructive"), async (c) => {
  await revokeToken(c.var.ctx, readNumericId(c.req.param("id"), "Token"));
  return c.redirect("/app/tokens?done=revoked", 303);
});

tokensPage.post("/app/tokens/:id/extend", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { extendProgram } = await import("../oauth/programs.ts");
  const scopes = form.getAll("scopes").filter((one) => isScope(one));
  await extendProgram(c.var.ctx, readNumericId(c.req.param("id"), "Token"), scopes);
  return c.redirect("/app/tokens?done=extended", 303);
});

const isScope = (value: unknown): value is Scope => SCOPES.includes(value as Scope);

async function readTokens(c: Context<PageEnv>) {
  const { ctx } = c.var;
  const [[zone = null], all, programs] = await ctx.read("*", [
    zoneOfTeam({ team: ctx.team }),
    tokensOfUser({ user: ctx.user }),
    programsOf({ user: ctx.user }),
  ]);
  const byId = new Map(programs.map((program) => [program.id, program]));
  const allowed = all.flatMap((token) => {
    const program = byId.get(token.id);
    return program ? [{ token, program }] : [];
  });
  return { all, tokens: all.filter(({ id }) => !byId.has(id)), allowed, clock: clockOf(zone) };
}

async function showTokens(
  c: Context<PageEnv>,
  { notice, status, created = "", sent }: Shown & { created?: string; sent?: FormData },
): Promise<Response> {
  const { tokens, allowed, clock } = await readTokens(c);
  const { teams } = c.var.ctx.person;
  return renderOwnPage(
    c,
    { title: "Tokens", here: "/app/tokens", status },
    <>
      <h1>Tokens</h1>
      <NoticeLine notice={notice} />
      {created !== "" && (
        <section class="notice" role="status" aria-labelledby="created">
          <h2 id="created">Your new token</h2>
          <p>Copy it now: it is shown this once.</p>
          <pre>{created}</pre>
        </section>
      )}
      <Section id="tokens" title={tokens.length === 1 ? "1 token" : `${tokens.length} tokens`}>
        <p class="muted">They are yours, in all your teams. Programs send one with every call.</p>
        {tokens.length > 0 && (
          <ul class="list">
            {tokens.map((token) => (
              <TokenItem token={token} teams={teams} clock={clock} />
            ))}
          </ul>
        )}
      </Section>
      {allowed.length > 0 && <Programs allowed={allowed} teams={teams} clock={clock} />}
      <NewToken teams={teams} sent={sent ?? new FormData()} />
    </>,
  );
}

const COUNTRIES = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Cloudflare's codes beside countries are none that the names know. */
const countryOf = (code: string | null): string | null =>
  code !== null && /^[A-Z]{2}$/.test(code) ? (COUNTRIES.of(code) ?? null) : null;

const LastUse = ({ token, clock }: { token: TokenRow; clock: Clock }) =>
  token.lastUsedAt ? (
    <>
      Last used <Time at={token.lastUsedAt} clock={clock} />
      {countryOf(token.lastUsedFrom) && ` from ${countryOf(token.lastUsedFrom)}`}, give or take an
      hour.
    </>
  ) : (
    <>It has not been used yet.</>
  );

interface Allowed {
  token: TokenRow;
  program: Program;
}

interface ProgramsProps {
  allowed: readonly Allowed[];
  teams: readonly OwnTeam[];
  clock: Clock;
}

const kindOf = ({ clientKind, resource }: Program): string =>
  clientKind === "cli" ? "Command line" : resource === "mcp" ? "Agent" : "App";

const Programs = ({ allowed, teams, clock }: ProgramsProps) => (
  <Section id="programs" title={allowed.length === 1 ? "1 program" : `${allowed.length} programs`}>
    <p class="muted">You allowed these to act for you. They renew their access by themselves.</p>
    <ul class="list">
      {allowed.map(({ token, program }) => (
        <li>
          <div class="grow">
            <strong>{token.name}</strong> <State text={kindOf(program)} tone="wait" />
            <p class="muted">
              {PROGRAM_WORDS[program.clientKind](program.clientHost)} · May:{" "}
              {wordsOfScopes(token.scopes)} · only{" "}
              {teams.find(({ id }) => id === token.teamId)?.name ?? "a team you left"}
              {program.accounts && `, with ${program.accounts.length} of its accounts`}
            </p>
            <p class="muted">
              Allowed <Time at={token.createdAt} clock={clock} />.{" "}
              <LastUse token={token} clock={clock} /> Ends{" "}
              {program.expiresAt ? (
                <Time at={program.expiresAt} clock={clock} />
              ) : (
                <>
                  if it is not used before <Time at={program.idleAt} clock={clock} />
                </>
              )}
              .
            </p>
            {program.wanted && (
              <TeamForm class="row" action={`/app/tokens/${token.id}/extend`}>
                {program.wanted.map((scope) => (
                  <input type="hidden" name="scopes" value={scope} />
                ))}
                <p>It asks for: {wordsOfScopes(program.wanted)}.</p>
                <Button label={`Allow ${token.name} to ${wordsOfScopes(program.wanted)}`}>
                  Allow
                </Button>
              </TeamForm>
            )}
          </div>
          <a
            class="button quiet"
            href={`/app/tokens/${token.id}/revoke`}
            aria-label={`End ${token.name}`}
          >
            End…
          </a>
        </li>
      ))}
    </ul>
  </Section>
);

const PROGRAM_WORDS: Record<Program["clientKind"], (host: string) => string> = {
  document: (host) => `From ${host}`,
  registered: (host) => `Registered itself, from ${host}`,
  app: (host) => `An app of ${host}`,
  cli: () => "On a computer",
};

const TokenItem = ({
  token,
  teams,
  clock,
}: {
  token: TokenRow;
  teams: readonly OwnTeam[];
  clock: Clock;
}) => (
  <li>
    <div class="grow">
      <strong>{token.name}</strong> <code>{token.hint}</code>{" "}
      {token.agentUsedAt && <State text="Used by an agent" tone="wait" />}
      <p class="muted">
        May: {wordsOfScopes(token.scopes)} ·{" "}
        {token.teamId === null
          ? "all your teams"
          : `only ${teams.find(({ id }) => id === token.teamId)?.name ?? "a team you left"}`}
      </p>
      <p class="muted">
        Created <Time at={token.createdAt} clock={clock} />. <LastUse token={token} clock={clock} />
      </p>
    </div>
    <a
      class="button quiet"
      href={`/app/tokens/${token.id}/revoke`}
      aria-label={`Revoke ${token.name}`}
    >
      Revoke…
    </a>
  </li>
);

const NewToken = ({ teams, sent }: { teams: readonly OwnTeam[]; sent: FormData }) => (
  <Section id="new" title="Create a token">
    <TeamForm class="fields" action="/app/tokens" makes>
      <label>
        Name
        <input
          name="name"
          required
          maxlength={100}
          autocomplete="off"
          value={textField(sent, "name")}
        />
        <span class="hint">Where it is used, such as “Newsletter script”.</span>
      </label>
      <fieldset>
        <legend>It may</legend>
        <div class="checks">
          {SCOPES.map((scope) => (
            <label>
              <input
                type="checkbox"
                name="scopes"
                value={scope}
                checked={sent.getAll("scopes").includes(scope)}
              />{" "}
              {SCOPE_WORDS[scope]}
            </label>
          ))}
        </div>
      </fieldset>
      <label>
        In
        <select name="team">
          <option value="">all my teams</option>
          {teams.map(({ id, name }) => (
            <option value={String(id)} selected={textField(sent, "team") === String(id)}>
              only {name}
            </option>
          ))}
        </select>
      </label>
      <div>
        <button type="submit">Create the token</button>
      </div>
    </TeamForm>
  </Section>
);
