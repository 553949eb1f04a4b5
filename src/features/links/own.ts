export { BLACK, type Colour, contrastToWhite, MIN_CONTRAST, readColour, toHex } from "./colour.ts";
export { shortUrlOf } from "./destinations.ts";
export { BOT, DEVICES, type StoredRule, SYSTEMS } from "./evaluate.ts";
export type { LinkOnPage, ListedLink } from "./repo/links.ts";
export { COUNTRIES } from "./rules.ts";
export {
  changeLink,
  createLink,
  deleteLink,
  getLinkAndColor,
  linkPageQueries,
  listQueries,
} from "./service.ts";
export {
  type ClicksByRule,
  clicksByDay,
  clicksByRule,
  clicksOfBots,
  countsOf,
} from "./statistics.ts";
export { BROWSERS, type Browser, type Trial, type TriedVisitor, tryVisitor } from "./trial.ts";

/** Schemas describe themselves to the API, and take long to load. */
export const loadSchemas = () => import("./schema.ts");

export const loadCode = () => import("./code.ts");
