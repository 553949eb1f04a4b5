import { type SteeredRefusals, steer } from "../kit/steered.ts";
import type { Reply } from "../kit/steering.ts";
import { type GraphCall, graphError, mediaError, serverError } from "../meta/graph.ts";
import { expiredToken, type Page } from "./pages.ts";

export const REFUSALS: SteeredRefusals = {
  expiredToken,
  serverError,
  failures: {
    rate_limited: () => mediaError(368, 1390008, "You are posting too fast."),
    account_disconnected: () =>
      graphError(200, "(#200) The permission(s) pages_manage_posts are not available."),
    content_flagged: () => mediaError(368, 1346003, "The action was deemed abusive."),
    media_invalid: () => mediaError(6000, 1363024, "The video format is not supported."),
    media_unreachable: () =>
      mediaError(389, 1609005, "The file could not be fetched from its URL."),
    unknown: () => graphError(100, "(#100) Invalid parameter"),
  },
};

export const steerPost = ({ env }: GraphCall, page: Page, text: string, token: string): Reply =>
  steer(env, REFUSALS, { key: `facebook/${page.id}/${text.slice(0, 200)}`, text, token });
