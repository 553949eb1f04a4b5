import { forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { type GraphCall, GraphError, mediaError } from "../meta/graph.ts";
import { expiredToken, type Page } from "./pages.ts";

/** What the text of a post makes of the call that publishes it. */
export const steer = ({ store, origin }: GraphCall, page: Page, text: string, token: string) =>
  store.steer(origin, `facebook/${page.id}/${text.slice(0, 200)}`, text, token);

/** What steering makes of a publishing that is not accepted. */
export function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  if (verdict.kind === "token_refused") return expiredToken().toResponse();
  if (verdict.kind === "server_error") {
    return new GraphError(2, "An unexpected error has occurred. Please retry your request later.", {
      status: verdict.nth % 2 === 1 ? 500 : 503,
      isTransient: true,
    }).toResponse();
  }
  const { code } = verdict;
  switch (code) {
    case "rate_limited":
      return mediaError(368, 1390008, "You are posting too fast.").toResponse();
    case "account_disconnected":
      return new GraphError(
        200,
        "(#200) The permission(s) pages_manage_posts are not available.",
      ).toResponse();
    case "content_flagged":
      return mediaError(368, 1346003, "The action was deemed abusive.").toResponse();
    case "media_invalid":
      return mediaError(6000, 1363024, "The video format is not supported.").toResponse();
    case "media_unreachable":
      return mediaError(389, 1609005, "The file could not be fetched from its URL.").toResponse();
    case "unknown":
      return new GraphError(100, "(#100) Invalid parameter").toResponse();
    default:
      return forcedFailure({
        code,
        message: `The sandbox was asked for this failure: ${code}.`,
      }).toResponse();
  }
}
