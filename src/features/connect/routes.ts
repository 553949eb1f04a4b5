import * as z from "zod";
import { PLATFORM_ABSENT } from "../../http/answers.ts";
import { publicOrigin } from "../../http/env.ts";
import { apiRoute, createRouter, json, jsonBody } from "../../http/route.ts";
import { accountSchema, toAccount } from "../accounts/schema.ts";
import { isConsentRequest, newConnectionSchema, openerSchema, toConsentRequest } from "./schema.ts";
import { connectAccount, startConsent } from "./service.ts";

export const connectRoutes = createRouter();

const connect = apiRoute({
  method: "post",
  path: "/accounts",
  tags: ["Accounts", "Extensions"],
  operationId: "connectAccount",
  summary: "Connect an account",
  description:
    "Connects a Bluesky account by handle and app password (`service` is the address of your own PDS, as the account's DID document names it), an account of any platform by its tokens, or a sandbox account. Connecting an account again replaces its login.\n\nWith a platform alone, answers `authorizationUrl`: send the person who owns the account there within 10 minutes. Its page names the team and who asks; its button leads to the platform. After the platform's consent page they are sent on to `redirectUrl`, with `status` (`connected` or `failed`), `platform`, and `accountId` or `error` and `message`.",
  scope: "accounts:write",
  limit: "write",
  request: { body: jsonBody(newConnectionSchema) },
  responses: {
    ...json(
      z.union([z.object({ success: z.literal(true), data: accountSchema }), openerSchema]),
      "The connected account, or the address by which a person connects one.",
    ),
    ...PLATFORM_ABSENT,
  },
});
connectRoutes.openapi(connect, async (c) => {
  const { ctx } = c.var;
  const input = c.req.valid("json");
  if (!isConsentRequest(input)) {
    const account = await connectAccount(ctx, input);
    return c.json({ success: true as const, data: toAccount(account) }, 200);
  }
  const { path, expiresAt } = await startConsent(ctx, toConsentRequest(input));
  const authorizationUrl = publicOrigin(ctx, c.req.url) + path;
  return c.json(
    { success: true as const, authorizationUrl, expiresAt: expiresAt.toISOString() },
    200,
  );
});
