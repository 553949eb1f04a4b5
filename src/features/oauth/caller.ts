import { AppError } from "../../core/errors.ts";
import { ANNOUNCED_SCOPES, type Scope } from "../../core/scopes.ts";
import { type AppContext, publicOrigin } from "../../http/env.ts";
import { logStep } from "./log.ts";

/**
 * Tells a refused agent where its person can allow it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export async function challenge(c: AppContext, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) return;
  const { deps, ctx } = c.var;
  const origin = publicOrigin(deps, c.req.url);
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  if (error.code === "UNAUTHORIZED") {
    const isNamed = c.req.header("authorization") !== undefined;
    const wrong = isNamed ? `error="invalid_token", error_description="${error.message}", ` : "";
    const scope = `scope="${ANNOUNCED_SCOPES.join(" ")}"`;
    c.header("WWW-Authenticate", `Bearer ${wrong}${metadata}, ${scope}`);
    const reason = isNamed ? "token_refused" : "no_token";
    logStep(deps, { step: "challenge", outcome: "refused", reason });
  }
  const actor = ctx?.knownActor();
  if (error.code === "INSUFFICIENT_SCOPE" && actor?.isProgram) {
    const lacking = error.extras.requiredScope as Scope;
    const scope = [...actor.scopes, lacking].join(" ");
    const message = `${error.message} Allow it at ${origin}/app/tokens.`;
    c.header(
      "WWW-Authenticate",
      `Bearer error="insufficient_scope", scope="${scope}", ${metadata}, error_description="${message}"`,
    );
    const { askForScope } = await import("./programs.ts");
    deps.defer(askForScope(deps, actor, lacking, origin));
  }
}
