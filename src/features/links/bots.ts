import { isbot } from "isbot";

/** Crawlers that show a preview of what they find, and those of search. */
const CRAWLER =
  /bot|crawl|spider|externalhit|externalagent|facebookcatalog|whatsapp|embedly|iframely|preview|vkshare|pinterest|snapchat|skype|opengraph|flipboard|nuzzel|tumblr|viber|mastodon|bluesky/i;

export const isBot = (agent: string): boolean => isbot(agent);

/** Returns true for a bot that is shown the preview of a link; one that merely fetches is sent on. */
export const isCrawler = (agent: string): boolean => CRAWLER.test(agent) && isbot(agent);
