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
  refusal.status >= 400 && refusal.status < 500 && !judge.isPassing(refusal);

export const { adopt, connectLasting, identify, refresh } = selfRenewingLogins({
  platform: NAME,
  judge,
  meRequest: getMeRequest,
  readMe: readGetMeReply,
  toOwner: ({ id, username, name, threads_profile_picture_url }) => ({
    id,
    // By this one an account is found that was disconnected before the person asked for its deletion.
    userId: id,
    name,
    handle: username,
    picture: threads_profile_picture_url,
  }),
  exchangeRequest: exchangeTokenRequest,
  refreshRequest: refreshTokenRequest,
  // A token that has run out, or whose permission has, cannot be renewed whatever the words; one younger
  // than 24 hours needs not be.
  isLost: (refusal, credentials) =>
    judge.isLoginLost(refusal) || (!isYoung(credentials) && isDefinite(refusal)),
});
