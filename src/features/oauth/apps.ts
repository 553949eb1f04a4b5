import { AppError, type FieldError, invalidFields, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Ctx, Role } from "../../deps.ts";
import { activityLine } from "../activity/repo.ts";
import { requireOneOf } from "../auth/rules.ts";
import { look, once } from "../idempotency/once.ts";
import { ENDPOINTS } from "./metadata.ts";
import { cleanName, MAX_NAME, newClientId, newSecret } from "./names.ts";
import * as repo from "./repo/apps.ts";
import {
  MAX_APPS,
  MAX_REDIRECT_LENGTH,
  MAX_REDIRECTS,
  refusedRedirect,
  resourceUrl,
  scopesOf,
} from "./rules.ts";

const MANAGERS: readonly Role[] = ["OWNER", "ADMIN"];

const requireManager = ({ actor }: Ctx): void =>
  requireOneOf(actor, MANAGERS, "Only the owner and admins of a team manage its apps.");

/** What the other program needs to know of this instance. */
export const connectionFacts = (origin: string) => ({
  authorizationUrl: origin + ENDPOINTS.authorization,
  tokenUrl: origin + ENDPOINTS.token,
  resource: resourceUrl("api", origin),
  scopes: scopesOf("api"),
});

export interface AppInput {
  name: string;
  /** One address a line. */
  redirectUris: string;
}

export interface NewAppInput extends AppInput {
  /** An app that cannot keep a secret, and has PKCE alone. */
  isPublic: boolean;
}

interface AppFields {
  name: string;
  redirectUris: string[];
}

/** @throws AppError 400, with every wrong line */
function readApp(input: AppInput): AppFields {
  const errors: FieldError[] = [];
  const name = cleanName(input.name);
  if (name === "")
    errors.push({ field: "name", message: `name: give 1 to ${MAX_NAME} characters` });
  const lines = input.redirectUris.split(/\r?\n/).map((line) => line.trim());
  const redirectUris = [...new Set(lines.filter(Boolean))];
  const wrong = lines.flatMap((line, i) => {
    const refusal = line === "" ? null : refusedLine(line);
    return refusal === null ? [] : [`line ${i + 1} ${refusal}.`];
  });
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS) {
    wrong.push(`give 1 to ${MAX_REDIRECTS} addresses, one a line.`);
  }
  if (wrong.length > 0) {
    const [first = "", ...others] = wrong;
    const sentences = others.map((text) => text.charAt(0).toUpperCase() + text.slice(1));
    const message = `redirectUris: ${[first, ...sentences].join(" ")}`;
    errors.push({ field: "redirectUris", message });
  }
  if (errors.length > 0) throw invalidFields(errors);
  return { name, redirectUris };
}

const refusedLine = (line: string): string | null =>
  line.length > MAX_REDIRECT_LENGTH
    ? `has more than ${MAX_REDIRECT_LENGTH} characters`
    : refusedRedirect(line);

const boundTo = (teamId: number): string => `${teamId}|app|secret`;

export interface RegisteredApp {
  id: string;
  secret: string | null;
}

/** The secret stays encrypted. */
interface Remembered {
  id: string;
  sealed: string | null;
}

/**
 * Registers an app of the team. Only this answer contains its secret, which is null for a public app.
 *
 * @throws AppError FORBIDDEN for a member; 400 for a wrong name or address; PLAN_LIMIT; refusals of the Idempotency-Key
 */
export async function registerApp(
  ctx: Ctx,
  input: NewAppInput,
  call: NamedCall | null,
): Promise<RegisteredApp> {
  const { isPublic } = input;
  let fields: AppFields = { name: "", redirectUris: [] };
  const bodyOf = () => [input.name, input.redirectUris, isPublic];
  const { result } = await once<number, Remembered>(ctx, call, bodyOf, {
    look: async () => {
      const { findings, stored } = await look(ctx, "team:write", call, [
        repo.countApps({ team: ctx.team }),
      ]);
      requireManager(ctx);
      fields = readApp(input);
      return { findings: findings[0][0] ?? 0, stored };
    },
    make: async (count, { isNew, keep }) => {
      if (count >= MAX_APPS) throw tooMany();
      const { teamId, userId } = ctx.actor;
      const id = newClientId();
      const secret = isPublic ? null : newSecret();
      const sealed = secret && (await ctx.cipher.encrypt(secret, boundTo(teamId)));
      const remembered: Remembered = { id, sealed };
      const [made] = await ctx.db.run([
        repo.insertApp(
          {
            ...fields,
            id,
            teamId,
            authMethod: isPublic ? "none" : "client_secret_basic",
            secretHash: secret && (await sha256Hex(secret)),
            createdBy: userId,
            createdAt: ctx.now(),
          },
          isNew,
        ),
        activityLine(ctx, "app.registered", id),
        ...keep(remembered),
      ]);
      return made === 0 ? null : remembered;
    },
  });
  const { id, sealed } = result;
  return { id, secret: sealed && (await ctx.cipher.decrypt(sealed, boundTo(ctx.actor.teamId))) };
}

const tooMany = (): AppError =>
  new AppError("PLAN_LIMIT", `A team has at most ${MAX_APPS} apps. Delete one that is not used.`);

/** The form of ids, beside which nothing reaches the database. */
const requireId = (id: string): void => {
  if (!/^kmx_[0-9a-f]{32}$/.test(id)) throw notFound("App");
};

/** @throws AppError FORBIDDEN for a member; NOT_FOUND */
export async function getManagedApp(ctx: Ctx, id: string): Promise<repo.App> {
  requireId(id);
  const [[app]] = await ctx.read("team:read", [
    repo.appById({ team: ctx.team, id, at: ctx.now() }),
  ]);
  requireManager(ctx);
  if (!app) throw notFound("App");
  return app;
}

/** @throws AppError FORBIDDEN for a member; 400 for a wrong name or address; NOT_FOUND */
export async function changeApp(ctx: Ctx, id: string, input: AppInput): Promise<void> {
  requireId(id);
  await ctx.read("team:write", []);
  requireManager(ctx);
  const { name, redirectUris } = readApp(input);
  const change = { id, team: ctx.actor.teamId, name, redirectUris: JSON.stringify(redirectUris) };
  const [changed] = await ctx.db.run([
    repo.updateApp(change),
    activityLine(ctx, "app.changed", id),
  ]);
  if (changed === 0) throw notFound("App");
}

/**
 * Gives the app a new secret. The old one is refused from now on.
 *
 * @throws AppError FORBIDDEN for a member; NOT_FOUND, also for a public app
 */
export async function replaceSecret(ctx: Ctx, id: string): Promise<string> {
  requireId(id);
  await ctx.read("team:write", []);
  requireManager(ctx);
  const secret = newSecret();
  const secretHash = await sha256Hex(secret);
  const [changed] = await ctx.db.run([
    repo.replaceSecret({ id, team: ctx.actor.teamId, secretHash }),
    activityLine(ctx, "app.secret_replaced", id),
  ]);
  if (changed === 0) throw notFound("App with a secret");
  return secret;
}

/**
 * Deletes the app, and ends what people allowed it.
 *
 * @throws AppError FORBIDDEN for a member; NOT_FOUND
 */
export async function deleteApp(ctx: Ctx, id: string): Promise<void> {
  requireId(id);
  await ctx.read("team:write", []);
  requireManager(ctx);
  const line = activityLine(ctx, "app.deleted", id);
  const own = { id, team: ctx.actor.teamId };
  const [deleted] = await ctx.db.runAll(repo.deleteApp(own, ctx.now(), line));
  if (deleted === 0) throw notFound("App");
}
