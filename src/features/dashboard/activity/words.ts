import { isPlatform } from "../../../core/platforms.ts";
import { platformName } from "../../../platforms/registry.ts";
import type { Action, ActorKind, SubjectKind } from "../../activity/actions.ts";
import type { ShownLine } from "./repo.ts";

/** What was done; `{}` is the subject. */
const DONE: Record<Action, string> = {
  "team.renamed": "renamed {}",
  "settings.changed": "changed {}",
  "settings.logo_changed": "changed the logo in {}",
  "settings.logo_removed": "removed the logo in {}",
  "member.joined": "joined the team",
  "member.role_changed": "changed the role of {}",
  "member.deactivated": "deactivated {}",
  "member.activated": "activated {} again",
  "member.removed": "removed {} from the team",
  "member.left": "left the team",
  "invite.created": "invited {}",
  "invite.revoked": "revoked the invitation of {}",
  "token.created": "created {}",
  "token.revoked": "revoked {}",
  "program.allowed": "allowed {}",
  "program.extended": "allowed {} more",
  "app.registered": "registered {}",
  "app.changed": "changed {}",
  "app.secret_replaced": "replaced the secret of {}",
  "app.deleted": "deleted {}",
  "account.connected": "connected {}",
  "account.reconnected": "connected {} again",
  "account.changed": "changed the tags of {}",
  "account.removed": "removed {}",
  "account.withdrawn": "lost the consent for {}, which was withdrawn at the platform",
  "connection_page.created": "made {}",
  "connection_page.deleted": "deleted {}",
  "webhook.created": "created {}",
  "webhook.paused": "paused {}",
  "webhook.resumed": "switched on {}",
  "webhook.deleted": "deleted {}",
  "webhook.secret_rotated": "changed the secret of {}",
  "domain.added": "added {}",
  "domain.verified": "verified {}",
  "domain.ended": "no longer finds the record of {}",
  "domain.removed": "removed {}",
  "link.created": "made {}",
  "link.changed": "changed {}",
  "link.deleted": "deleted {}",
  "pool.created": "made {}",
  "pool.changed": "changed {}",
  "pool.deleted": "deleted {}",
  "pool.slot_added": "added a slot to {}",
  "pool.slot_changed": "changed a slot of {}",
  "pool.slot_removed": "removed a slot from {}",
  "pool.item_added": "added an item to {}",
  "pool.items_added": "added items to {}",
  "pool.item_changed": "changed an item of {}",
  "pool.item_moved": "changed the order of {}",
  "pool.item_removed": "removed an item from {}",
  "pool.cleared": "emptied {}",
  "file.added": "added {}",
  "file.changed": "changed {}",
  "file.removed": "removed {}",
  "feed.added": "added {}",
  "feed.changed": "changed {}",
  "feed.deleted": "deleted {}",
  "block.saved": "saved {}",
  "block.deleted": "deleted {}",
  "calendar_feed.created": "made {}",
  "calendar_feed.ended": "ended {}",
  "credits.granted": "granted {}",
  "credits.refunded": "took back {}",
  "upload.edited": "edited {}",
  "upload.corrected": "corrected the text of {} at the platform",
  "upload.submitted": "submitted {} for approval",
  "upload.approved": "approved {}",
  "upload.changes_requested": "asked for changes to {}",
  "upload.cancelled": "cancelled {}",
  "upload.deleted": "deleted {}",
  "upload.retried": "retried {}",
  "upload.unpublished": "took down {}",
  "review_link.created": "made {}",
  "review_link.withdrawn": "withdrew {}",
  "report.created": "made {}",
  "report.revoked": "revoked {}",
  "suggestion.created": "made {}",
};

interface Noun {
  /** Of one whose name is unknown. */
  one: string;
  /** The choice of the filter. */
  many: string;
  /** Precedes a name. */
  kind?: string;
  page?: string;
}

const NOUNS: Record<SubjectKind, Noun> = {
  upload: { one: "a post", many: "Posts" },
  account: { one: "an account", many: "Accounts" },
  pool: { one: "a pool", many: "Pools", kind: "the pool", page: "/app/pools" },
  file: { one: "a file", many: "Files", kind: "the file" },
  short_link: {
    one: "a short link",
    many: "Short links",
    kind: "the short link",
    page: "/app/short-links",
  },
  domain: { one: "a domain", many: "Domains", page: "/app/short-links/domains" },
  webhook: { one: "a webhook", many: "Webhooks", kind: "the webhook", page: "/app/webhooks" },
  token: { one: "a token", many: "Tokens", kind: "the token", page: "/app/tokens" },
  app: { one: "an app", many: "Apps", kind: "the app", page: "/app/settings/apps" },
  member: { one: "a person", many: "Members", page: "/app/team" },
  invite: { one: "a person", many: "Invitations", page: "/app/team" },
  team: { one: "the team", many: "Team", page: "/app/team" },
  settings: { one: "the settings", many: "Settings", page: "/app/settings" },
  connection_page: {
    one: "a connection page",
    many: "Connection pages",
    page: "/app/connection-pages",
  },
  review_link: { one: "a review link", many: "Review links", page: "/app/reviews" },
  report: { one: "a report link", many: "Report links", page: "/app/analytics" },
  calendar_feed: { one: "a calendar feed", many: "Calendar feeds", page: "/app/calendar" },
  feed: { one: "a feed", many: "Feeds", page: "/app/feeds" },
  text_block: {
    one: "a text block",
    many: "Text blocks",
    kind: "the text block",
    page: "/app/blocks",
  },
  credits: { one: "X credits", many: "X credits" },
  suggestion: { one: "a suggestion", many: "Suggestions", page: "/app/suggestions" },
};

export const TYPE_CHOICES = Object.entries(NOUNS).map(([kind, { many }]) => [kind, many] as const);

export const ACTOR_CHOICES = Object.entries({
  person: "People",
  token: "Tokens",
  agent: "Agents",
  client: "Clients",
  system: "Akimbo itself",
} satisfies Record<ActorKind, string>);

function nameOf({ subjectKind, subjectId, subject: { name } }: ShownLine): string {
  const { one, kind } = NOUNS[subjectKind];
  if (subjectKind === "upload") {
    if (subjectId === null) return "several posts";
    return name !== null && isPlatform(name) ? `a post on ${platformName(name)}` : one;
  }
  if (name === null) return one;
  if (subjectKind === "account") {
    const [platform = "", ...words] = name.split(" ");
    return isPlatform(platform) ? `${words.join(" ")} (${platformName(platform)})` : one;
  }
  return kind ? `${kind} ${name}` : name;
}

function pageOf({ subjectKind, subjectId, subject: { isThere } }: ShownLine): string | null {
  if (subjectKind === "upload" && subjectId === null) return "/app/uploads";
  if (subjectKind === "upload") return isThere ? `/app/uploads/${subjectId}` : null;
  if (subjectKind === "account") return isThere ? `/app/accounts/${subjectId}` : null;
  if (subjectKind === "file") return isThere ? `/app/media/${subjectId}` : null;
  const page = NOUNS[subjectKind].page ?? null;
  const hasOwn = ["pool", "short_link", "webhook", "app"].includes(subjectKind);
  return hasOwn && isThere ? `${page}/${subjectId}` : page;
}

interface Sentence {
  before: string;
  subject: { name: string; page: string | null } | null;
  after: string;
}

export function sentenceOf(line: ShownLine): Sentence {
  const [before = "", after] = DONE[line.action].split("{}");
  if (after === undefined) return { before, subject: null, after: "" };
  return { before, subject: { name: nameOf(line), page: pageOf(line) }, after };
}

const ACTORS: Record<ActorKind, (name: string) => string> = {
  person: (name) => (name === "deleted" ? "A person who closed their account" : name),
  token: (name) => `The token “${name}”`,
  agent: (name) => `An agent, by the token “${name}”,`,
  client: (name) => (name === "A client" ? name : `A client, by the page “${name}”,`),
  system: (name) => name,
};

export const actorOf = ({ actorKind, actorName }: ShownLine): string =>
  ACTORS[actorKind](actorName);
