import { bluesky } from "./bluesky/row.ts";
import { discord, discordBot } from "./discord/row.ts";
import { facebook } from "./facebook/row.ts";
import { googleBusiness } from "./google_business/row.ts";
import { instagram } from "./instagram/row.ts";
import { linkedin, linkedinPage } from "./linkedin/row.ts";
import { mastodon } from "./mastodon/row.ts";
import { pinterest } from "./pinterest/row.ts";
import type { Row } from "./row.ts";
import { telegram } from "./telegram/row.ts";
import { threads } from "./threads/row.ts";
import { tiktok } from "./tiktok/row.ts";
import { x } from "./x/row.ts";
import { youtube } from "./youtube/row.ts";

export const ROWS: Row[] = [
  tiktok,
  instagram,
  facebook,
  youtube,
  linkedin,
  linkedinPage,
  pinterest,
  bluesky,
  threads,
  x,
  mastodon,
  telegram,
  discord,
  discordBot,
  googleBusiness,
];
