import { AppError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { Board, Creator } from "../../platforms/extras.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";

/** One call leads to a call of its platform for each account. */
const MAX_ASKED = 20;

/** A sentence where the platform did not answer. */
export type CreatorAnswer = Creator | string;

/** Answers of platforms, by account. */
export interface LookUps {
  creators: ReadonlyMap<string, CreatorAnswer>;
  boards: ReadonlyMap<string, readonly Board[] | string>;
}

export const NOT_ASKED: LookUps = { creators: new Map(), boards: new Map() };

const ASKED = ["tiktok", "pinterest"];

async function answerOf<T>(question: () => Promise<T>): Promise<T | string> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Asks for each active account, chosen or not, of the platforms that answer differently for each. */
export async function askPlatforms(ctx: Ctx): Promise<LookUps> {
  const [rows] = await ctx.read("accounts:read", [accountsOfTeam(ctx.team, { status: "active" })]);
  const accounts = rows
    .filter((one) => ASKED.includes(one.platform) && accountRefusal(one, ctx.config) === null)
    .slice(0, MAX_ASKED);
  const { listBoards, readCreator } = await import("../logins/service.ts");
  const creators = new Map<string, CreatorAnswer>();
  const boards = new Map<string, readonly Board[] | string>();
  await Promise.all(
    accounts.map(async ({ id, platform }) => {
      if (platform === "tiktok") creators.set(id, await answerOf(() => readCreator(ctx, id)));
      else boards.set(id, await answerOf(() => listBoards(ctx, id)));
    }),
  );
  return { creators, boards };
}
