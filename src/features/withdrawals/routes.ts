import { Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { bodyOf } from "../../http/body.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { renderError } from "../../http/errors.ts";
import { deletionRequestPath, withdrawnPath } from "./rules.ts";
import {
  confirmationOf,
  deletionPath,
  eraseAccounts,
  readWithdrawal,
  withdrawAccounts,
} from "./service.ts";

/** For the platforms' servers. */
export const withdrawalRoutes = new Hono<AppEnv>();
withdrawalRoutes.onError(renderError);

const MAX_MESSAGE_BYTES = 20_000;

/** Only unsigned messages are rate-limited: a platform sends many from few addresses. */
async function readMessage(c: AppContext) {
  const bytes = await bodyOf(c.req.raw).readAll(MAX_MESSAGE_BYTES, async () => {});
  const message = { headers: c.req.raw.headers, body: new TextDecoder().decode(bytes) };
  try {
    return await readWithdrawal(c.var.deps, c.req.param("platform") ?? "", message);
  } catch (error) {
    if (error instanceof AppError) await countVisitor(c, "sign-in");
    throw error;
  }
}

withdrawalRoutes.post(withdrawnPath(":platform"), async (c) => {
  const { platformUserId, ...withdrawal } = await readMessage(c);
  if (platformUserId !== null)
    await withdrawAccounts(c.var.deps, { ...withdrawal, platformUserId });
  return c.json({ success: true });
});

withdrawalRoutes.post(deletionRequestPath(":platform"), async (c) => {
  const { platformUserId, platform, at } = await readMessage(c);
  const { deps } = c.var;
  const accounts =
    platformUserId === null ? 0 : await eraseAccounts(deps, { platform, platformUserId, at });
  const code = await confirmationOf(deps, { platform, at: deps.now(), accounts });
  return c.json({
    url: publicOrigin(deps, c.req.url) + deletionPath(code),
    confirmation_code: code,
  });
});
