import { selfRenewingLogins } from "../meta/login.ts";
import { exchangeTokenRequest, getMeRequest, readGetMeReply, refreshTokenRequest } from "./api.ts";
import { judge } from "./failures.ts";

export const { adopt, identify, refresh, revoke } = selfRenewingLogins({
  platform: "Instagram",
  judge,
  meRequest: getMeRequest,
  readMe: readGetMeReply,
  toOwner: ({ user_id, username, name, profile_picture_url }) => ({
    id: user_id,
    name,
    handle: username,
    picture: profile_picture_url,
  }),
  exchangeRequest: exchangeTokenRequest,
  refreshRequest: refreshTokenRequest,
  // A token younger than 24 hours needs no renewal: that refusal is not final.
  isLost: judge.isLoginLost,
});
