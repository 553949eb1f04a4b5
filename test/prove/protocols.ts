import type { Protocol } from "./protocol.ts";
import { discord } from "./protocols/discord.ts";
import { facebook } from "./protocols/facebook.ts";
import { googleBusiness } from "./protocols/google_business.ts";
import { instagram } from "./protocols/instagram.ts";
import { linkedin } from "./protocols/linkedin.ts";
import { mastodon } from "./protocols/mastodon.ts";
import { pinterest } from "./protocols/pinterest.ts";
import { telegram } from "./protocols/telegram.ts";
import { threads } from "./protocols/threads.ts";
import { tiktok } from "./protocols/tiktok.ts";
import { x } from "./protocols/x.ts";
import { youtube } from "./protocols/youtube.ts";

/** The platforms whose real connectors are run against their simulators. */
export const PROTOCOLS: readonly Protocol[] = [
  tiktok,
  instagram,
  facebook,
  youtube,
  linkedin,
  pinterest,
  threads,
  x,
  mastodon,
  telegram,
  discord,
  googleBusiness,
];

export const findProtocol = (platform: string): Protocol | undefined =>
  PROTOCOLS.find((protocol) => protocol.platform === platform);
