import { isbot } from "isbot";

const CRAWLER =
  /bot|crawl|spider|externalhit|externalagent|facebookcatalog|whatsapp|embedly|iframely|preview|vkshare|pinterest|snapchat|skype|opengraph|flipboard|nuzzel|tumblr|viber|mastodon|bluesky/i;

export const isBot = (agent: string): boolean => isbot(agent);

/** Crawlers get the preview page; other bots are redirected. */
export const isCrawler = (agent: string): boolean => CRAWLER.test(agent) && isbot(agent);
