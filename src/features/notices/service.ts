import { type FieldError, invalidFields, notFound } from "../../core/errors.ts";
import { sha256Hex } from "../../core/signature.ts";
import { arePushKeys } from "../../core/web-push.ts";
import { MAX_URL_CHARACTERS, refusedTarget } from "../../core/webhooks.ts";
import type { Query } from "../../db/client.ts";
import type { Ctx } from "../../deps.ts";
import { chatRefusal } from "./chats.ts";
import * as repo from "./repo/targets.ts";
import { maskAddress } from "./rules.ts";
import { type Browser, sealBrowser, sealChat } from "./secrets.ts";

export const lookUpTargets = ({ team, user }: Pick<Ctx, "team" | "user">) =>
  [repo.chatsOf({ team, user }), repo.browsersOf({ user })] as const;

export function toChats(rows: readonly repo.ShownTarget[]) {
  const shown = (row: repo.ShownTarget | undefined) =>
    row ? { address: row.label, error: row.error } : null;
  return {
    own: shown(rows.find(({ teamId }) => teamId === 0)),
    team: shown(rows.find(({ teamId }) => teamId !== 0)),
  };
}

export type ChatChange = Partial<Record<"own" | "team", string | null>>;

/** @throws AppError 400 for a forbidden address */
export async function changeChats(ctx: Ctx, change: ChatChange): Promise<Query<number>[]> {
  const { userId, teamId } = ctx.actor;
  const owners = { own: { teamId: 0, userId }, team: { teamId, userId: 0 } };
  const named = (["own", "team"] as const).flatMap((whose) => {
    const url = change[whose];
    return url === undefined ? [] : [{ whose, url, owner: owners[whose] }];
  });
  const refusals = named.flatMap(({ whose, url }) =>
    url === null ? [] : refuseAddress(ctx, `messaging.${whose}`, url),
  );
  if (refusals.length > 0) throw invalidFields(refusals);
  return Promise.all(
    named.map(async ({ url, owner }) => {
      if (url === null) return repo.removeChat(owner);
      const sealed = await sealChat(ctx, owner, url);
      return repo.storeChat(owner, { sealed, label: maskAddress(url), createdAt: ctx.now() });
    }),
  );
}

/** Shows that an address is masked. */
const MASK = "…";

function refuseAddress({ config }: Ctx, field: string, url: string): FieldError[] {
  const refusal =
    url.length > MAX_URL_CHARACTERS
      ? `must have at most ${MAX_URL_CHARACTERS} characters`
      : url.includes(MASK)
        ? "must be the whole address, not the part that is shown"
        : (refusedTarget(url, config) ?? chatRefusal(url));
  return refusal === null ? [] : [{ field, message: `${field}: ${refusal}` }];
}

type NewBrowser = Browser & { label: string };

/** @throws AppError 400 for invalid keys or a forbidden address */
export async function subscribeBrowser(
  ctx: Ctx,
  { endpoint, keys, label, origin }: NewBrowser,
): Promise<number> {
  await ctx.read("team:write", []);
  const refusals = refuseAddress(ctx, "endpoint", endpoint);
  if (!(await arePushKeys(keys))) {
    const message = "keys: must be those of the browser's subscription";
    refusals.push({ field: "keys", message });
  }
  if (refusals.length > 0) throw invalidFields(refusals);
  const { userId } = ctx.actor;
  const sealed = await sealBrowser(ctx, userId, { endpoint, keys, origin });
  const digest = await sha256Hex(endpoint);
  const [[id]] = await ctx.db.run(
    repo.storeBrowser(userId, { sealed, label, digest, createdAt: ctx.now() }),
  );
  if (id === undefined) throw new Error("The browser was not stored.");
  return id;
}

/** @throws AppError NOT_FOUND */
export async function removeBrowser(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("team:write", []);
  const [removed] = await ctx.db.run([repo.removeBrowser({ user: ctx.actor.userId, id })]);
  if (removed === 0) throw notFound("Browser");
}
