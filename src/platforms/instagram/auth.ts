import { selfRenewingLogins } from "../meta/login.ts";
import { exchangeTokenRequest, getMeRequest, readGetMeReply, refreshTokenRequest } from "./api.ts";
import { judge } from "./failures.ts";

export const { adopt, connectLasting, identify, refresh } = selfRenewingLogins({
  platform: "Instagram",
  judge,
  meRequest: getMeRequest,
  readMe: readGetMeReply,
  toOwner: ({ id, user_id, username, name, profile_picture_url }) => ({
    id: user_id,
    userId: id,
    name,
    handle: username,
    picture: profile_picture_url,
  }),
  refused: ({ account_type, username }) =>
    account_type?.toUpperCase() === "PERSONAL"
      ? `${username} is a personal account. Switch it to a professional one in Instagram's settings, then connect it again.`
      : null,
  exchangeRequest: exchangeTokenRequest,
  refreshRequest: refreshTokenRequest,
  // A refusal because the token is younger than 24 hours is not final.
  isLost: judge.isLoginLost,
});
