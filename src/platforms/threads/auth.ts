import type { GraphRefusal } from "../meta/graph.ts";
import { isYoung, selfRenewingLogins } from "../meta/login.ts";
import {
  exchangeTokenRequest,
  getMeRequest,
  NAME,
  readGetMeReply,
  refreshTokenRequest,
} from "./api.ts";
import { judge } from "./failures.ts";

const isDefinite = (refusal: GraphRefusal): boolean =>
  refusal.status >= 400 && refusal.status < 500 && !judge.isTemporary(refusal);

export const { adopt, connectLasting, identify, refresh } = selfRenewingLogins({
  platform: NAME,
  judge,
  meRequest: getMeRequest,
  readMe: readGetMeReply,
  toOwner: ({ id, username, name, threads_profile_picture_url }) => ({
    id,
    // By this id, a deletion request finds an account that is already disconnected.
    userId: id,
    name,
    handle: username,
    picture: threads_profile_picture_url,
  }),
  exchangeRequest: exchangeTokenRequest,
  refreshRequest: refreshTokenRequest,
  // Only a token younger than 24 hours may survive a refused renewal.
  isLost: (refusal, credentials) =>
    judge.isLoginLost(refusal) || (!isYoung(credentials) && isDefinite(refusal)),
});
