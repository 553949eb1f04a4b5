import type { Role } from "../../src/deps.ts";
import { TABLES } from "../../src/features/dashboard/analytics/tables.ts";
import { FEED_URL } from "./harness.ts";
import type { Holder, PlantedTeam } from "./permission-team.ts";
import { newBrowser } from "./push-service.ts";
import { photo } from "./stage.ts";

/** Everything that a request for a page carries beside its cookies. */
export interface PageSent {
  /** By their names in the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** The form. */
  fields?: Record<string, string | Blob>;
}

/** A page or a form of one, and the people who may use it. */
export interface PagePermission {
  /** The least role that may. */
  least: Role;
  /** Makes what the request needs in the team, and the request of this holder for it. */
  send(team: PlantedTeam, holder: Holder): Promise<PageSent> | PageSent;
  /** The status for people of another team: by default 404 where an id is in the path, else as for their own. */
  stranger?: number;
  /** The form ends its team, and leads to the sign-in: whoever may send it sends it for a team of their own. */
  endsTeam?: true;
  /** The form changes what is the person's own in every team, or chooses a team: it is of no team. */
  isPersonal?: true;
  /** Only the owner of the instance may, whatever their role in the team that they see. */
  isInstances?: true;
}

/** Pages that need nobody to be signed in: they have tests of their own. */
export const OPEN_PAGES: string[] = [
  "GET /privacy",
  "GET /terms",
  "GET /sign-in",
  "POST /sign-in",
  "GET /sign-in/sent",
  "GET /sign-in/link",
  "POST /sign-in/link",
  "POST /sign-in/out",
  "GET /sign-in/passkey.js",
  "POST /sign-in/passkey/options",
  "POST /sign-in/passkey/register",
  "POST /sign-in/passkey/register-options",
  "POST /sign-in/passkey/verify",
  "GET /app/push-worker.js",
  "GET /app/islands/:file{[A-Za-z0-9-]+\\.js}",
  "GET /invite/:token",
  "POST /invite/:token",
  "POST /invite/:token/accept",
];

const nothing = () => ({});

const anybody = (send: PagePermission["send"] = nothing): PagePermission => ({
  least: "MEMBER",
  send,
});

const personal = (send: PagePermission["send"] = nothing): PagePermission => ({
  ...anybody(send),
  isPersonal: true,
});

/** A page for the owner of the instance. */
const ofInstance = (send: PagePermission["send"] = nothing): PagePermission => ({
  ...personal(send),
  isInstances: true,
});

/** A form that needs this role or a higher one. */
const atLeast = (least: Role, send: PagePermission["send"]): PagePermission => ({ least, send });

const ofAccount = (fields?: Record<string, string>) =>
  anybody(async (team) => ({ params: { id: await team.account() }, ...(fields && { fields }) }));

const ofFigures = (
  paramsOf: (ids: { accountId: string; postId: string }) => Record<string, string>,
): PagePermission => ({
  ...anybody(async (team) => ({ params: paramsOf(await team.measuredPost()) })),
  stranger: 403,
});

const ofFile = (fields?: Record<string, string>) =>
  anybody(async (team) => ({
    params: { mediaId: await team.file() },
    ...(fields && { fields }),
  }));

const ofWebhook = (fields?: Record<string, string>) =>
  anybody(async (team) => ({ params: { id: await team.webhook() }, ...(fields && { fields }) }));

const ofDelivery = (least: Role) =>
  atLeast(least, async (team) => {
    const id = await team.webhook();
    return { params: { id, attempt: await team.delivery(id) } };
  });
/** Source: spec, "Errors": pools of another team are forbidden. */
const ofPool = (fields: Record<string, string> = {}): PagePermission => ({
  ...anybody(async (team) => {
    const { id, slotId, itemId } = await team.pool();
    return { params: { id, slotId, itemId }, fields };
  }),
  stranger: 403,
});
const ofShortLink = (fields?: Record<string, string>) =>
  anybody(async (team) => ({
    params: { id: await team.shortLink() },
    ...(fields && { fields }),
  }));

const ofPasskey = (fields?: Record<string, string>) =>
  personal(async (team, holder) => ({
    params: { id: await team.passkey(holder) },
    ...(fields && { fields }),
  }));

/** A request about a new member of the team. */
const ofMember = (least: Role, role: Role, fields?: Record<string, string>): PagePermission =>
  atLeast(least, async (team) => ({
    params: { id: String((await team.join(role)).userId) },
    ...(fields && { fields }),
  }));

const ofToken = anybody(async (team, holder) => ({ params: { id: await team.token(holder) } }));

const ofApp = (least: Role, fields?: Record<string, string>): PagePermission =>
  atLeast(least, async (team) => ({ params: { id: await team.app() }, ...(fields && { fields }) }));

/** The permissions of the pages behind the sign-in; a page that is not here fails their test. */
export const PAGE_PERMISSIONS: Record<string, PagePermission> = {
  "GET /app": anybody(),

  "GET /app/pools": anybody(),
  "POST /app/pools": anybody(async (team) => {
    await team.pool();
    return { fields: { name: "New", timezone: "UTC" } };
  }),
  "GET /app/pools/:id": {
    ...ofPool(),
    send: async (team) => {
      const { id, slotId, itemId } = await team.pool();
      return { params: { id }, query: { slot: slotId, item: itemId } };
    },
  },
  "POST /app/pools/:id": ofPool({ name: "Changed", timezone: "UTC" }),
  "POST /app/pools/:id/switch": ofPool({ on: "false" }),
  "POST /app/pools/:id/delete": ofPool(),
  "POST /app/pools/:id/slots": {
    ...ofPool(),
    send: async (team) => {
      const { id, accountId } = await team.pool();
      return { params: { id }, fields: { time: "10:00", days: "2", accountIds: accountId } };
    },
  },
  "POST /app/pools/:id/slots/:slotId": {
    ...ofPool(),
    send: async (team) => {
      const { id, slotId, accountId } = await team.pool();
      return {
        params: { id, slotId },
        fields: { time: "10:00", days: "2", accountIds: accountId },
      };
    },
  },
  "POST /app/pools/:id/slots/:slotId/remove": ofPool(),
  "POST /app/pools/:id/items": {
    ...ofPool(),
    send: async (team) => ({
      params: { id: (await team.pool()).id },
      fields: { title: "New", photo: photo() },
    }),
  },
  "POST /app/pools/:id/items/clear": ofPool(),
  "POST /app/pools/:id/items/:itemId": ofPool({ title: "Changed" }),
  "POST /app/pools/:id/items/:itemId/move": ofPool({ to: "first" }),
  "POST /app/pools/:id/items/:itemId/remove": ofPool(),
  "POST /app/pools/:id/csv": {
    ...ofPool(),
    send: async (team) => ({
      params: { id: (await team.pool()).id },
      fields: { file: new File(["title,videoUrl\nNew,https://example.com/a.mp4"], "rows.csv") },
    }),
  },

  "GET /app/media": anybody(),
  "POST /app/media": anybody(() => ({ fields: { file: photo() } })),
  "GET /app/media/:mediaId": ofFile(),
  "POST /app/media/:mediaId": ofFile({ name: "Changed.png" }),
  "POST /app/media/:mediaId/keep": ofFile({ keep: "true" }),
  "POST /app/media/:mediaId/remove": ofFile(),
  "GET /app/compose": anybody(),
  "GET /app/compose/sent": anybody(async (team) => ({ query: { posts: await team.upload() } })),
  "POST /app/compose": anybody(() => ({
    fields: { description: "New", photo: photo(), do: "save" },
  })),
  "POST /app/compose/preview": anybody(async (team) => ({
    fields: { accountId: await team.account(), description: "New", photo: photo() },
  })),
  "POST /app/compose/drafts/:id/delete": anybody(async (team) => ({
    params: { id: await team.draft() },
  })),

  "GET /app/uploads": anybody(),
  "GET /app/import": anybody(),
  "POST /app/import": anybody(async (team) => ({
    fields: { file: new File([`account,description\n${await team.account()},Hello`], "a.csv") },
  })),
  "GET /app/blocks": anybody(),
  "POST /app/blocks": anybody(() => ({ fields: { name: "hello", text: "Hello" } })),
  "POST /app/blocks/:name/delete": anybody(async (team) => ({
    params: { name: await team.block() },
  })),
  "POST /app/settings/quiet-hours": anybody(() => ({
    fields: { whose: "own", from: "22:00", to: "07:00", timezone: "UTC" },
  })),
  "GET /app/feeds": anybody(),
  "GET /app/feeds/:id": anybody(async (team) => ({ params: { id: await team.feed() } })),
  "POST /app/feeds": {
    ...anybody(async (team) => ({
      fields: { url: FEED_URL, account: await team.account(), status: "draft" },
    })),
    stranger: 400,
  },
  "POST /app/feeds/:id": {
    ...anybody(async (team) => ({
      params: { id: await team.feed() },
      fields: { url: FEED_URL, account: await team.account(), status: "draft" },
    })),
  },
  "POST /app/feeds/:id/switch": anybody(async (team) => ({
    params: { id: await team.feed() },
    fields: { on: "1" },
  })),
  "POST /app/feeds/:id/delete": anybody(async (team) => ({ params: { id: await team.feed() } })),
  "GET /app/uploads/:id": anybody(async (team) => ({ params: { id: await team.upload() } })),
  "POST /app/uploads/:id/retry": anybody(async (team) => ({
    params: { id: await team.upload({ isFailed: true }) },
    query: { force: "1" },
  })),
  "POST /app/uploads/:id/submit": anybody(async (team) => ({
    params: { id: await team.upload() },
  })),
  "POST /app/uploads/:id/approve": atLeast("ADMIN", async (team) => ({
    params: { id: await team.upload({ status: "pending_approval" }) },
  })),
  "POST /app/uploads/:id/request-changes": atLeast("ADMIN", async (team) => ({
    params: { id: await team.upload({ status: "pending_approval" }) },
    fields: { comment: "Shorter" },
  })),
  "POST /app/uploads/:id/edit": anybody(async (team) => ({
    params: { id: await team.upload() },
    fields: { description: "Changed" },
  })),
  "POST /app/uploads/:id/unpublish": atLeast("ADMIN", async (team) => ({
    params: { id: await team.upload({ isPublished: true }) },
  })),
  "POST /app/uploads/:id/delete": anybody(async (team) => ({
    params: { id: await team.upload() },
  })),

  "GET /app/calendar": anybody(async (team) => {
    await team.upload({ isPlanned: true });
    await team.calendarFeed();
    return { query: { month: "2026-12" } };
  }),
  "POST /app/calendar/:id/move": anybody(async (team) => ({
    params: { id: await team.upload() },
    query: { month: "2026-12" },
    fields: { date: "2026-12-24", time: "10:00" },
  })),
  "POST /app/calendar/feeds": anybody(),
  "POST /app/calendar/feeds/:id/revoke": atLeast("ADMIN", async (team) => ({
    params: { id: await team.calendarFeed() },
  })),

  "GET /app/analytics": anybody(async (team) => {
    await team.measuredPost();
    await team.report();
    return {};
  }),
  ...Object.fromEntries(
    TABLES.map((name): [string, PagePermission] => [`GET /app/analytics/${name}.csv`, anybody()]),
  ),
  "POST /app/analytics/reports": anybody(async (team) => {
    await team.measuredPost();
    return { fields: { expiresInDays: "30" } };
  }),
  "POST /app/analytics/reports/:id/revoke": atLeast("ADMIN", async (team) => ({
    params: { id: await team.report() },
  })),
  "GET /app/analytics/pictures/:id": anybody(async (team) => ({
    params: { id: await team.upload() },
  })),
  "GET /app/analytics/accounts/:id": ofFigures(({ accountId }) => ({ id: accountId })),
  "GET /app/analytics/accounts/:id/:table": ofFigures(({ accountId }) => ({
    ...{ id: accountId, table: "views.csv" },
  })),
  "GET /app/analytics/posts/:accountId/:postId": ofFigures((ids) => ids),
  "GET /app/analytics/posts/:accountId/:postId/:table": ofFigures((ids) => ({
    ...{ ...ids, table: "views.csv" },
  })),

  "GET /app/reviews": atLeast("ADMIN", nothing),
  "POST /app/reviews": {
    ...atLeast("ADMIN", async (team) => ({ fields: { post: await team.upload() } })),
    stranger: 404,
  },
  "POST /app/reviews/:id/withdraw": atLeast("ADMIN", async (team) => ({
    params: { id: await team.reviewLink() },
  })),

  "GET /app/webhooks": anybody(),
  "POST /app/webhooks": atLeast("ADMIN", () => ({
    fields: { url: "https://example.com/hook", events: "upload.completed" },
  })),
  "GET /app/webhooks/signature": anybody(),
  "GET /app/webhooks/:id": ofWebhook(),
  "POST /app/webhooks/:id/switch": ofWebhook({ isActive: "no" }),
  "POST /app/webhooks/:id/test": ofWebhook(),
  "POST /app/webhooks/:id/rotate": { ...ofWebhook(), least: "ADMIN" },
  "POST /app/webhooks/:id/replay-failed": atLeast("ADMIN", async (team) => {
    const id = await team.webhook();
    await team.delivery(id, false);
    return { params: { id }, fields: { hours: "999999" } };
  }),
  "GET /app/webhooks/:id/delete": ofWebhook(),
  "POST /app/webhooks/:id/delete": ofWebhook(),
  "GET /app/webhooks/:id/attempts/:attempt": ofDelivery("MEMBER"),
  "POST /app/webhooks/:id/attempts/:attempt/replay": ofDelivery("ADMIN"),

  "GET /app/accounts": anybody(),
  "POST /app/accounts": anybody(() => ({ fields: { platform: "bluesky", name: "New" } })),
  // An account of the platform whose page has every form.
  "GET /app/accounts/:id": anybody(async (team) => ({ params: { id: await team.account("x") } })),
  "POST /app/accounts/connect": anybody(() => ({ fields: { platform: "x", mode: "sandbox" } })),
  "POST /app/accounts/:id/reconnect": anybody(async (team) => ({
    params: { id: await team.account("x") },
  })),
  "POST /app/accounts/:id/tags": ofAccount({ tags: "changed" }),
  "GET /app/accounts/:id/remove": ofAccount(),
  "POST /app/accounts/:id/remove": ofAccount(),

  "GET /app/connection-pages": anybody(),
  "POST /app/connection-pages": anybody(() => ({
    fields: { platform: "x/sandbox", title: "New", expiresInHours: "24" },
  })),
  "POST /app/connection-pages/:id/delete": anybody(async (team) => ({
    params: { id: await team.link() },
  })),

  "GET /app/short-links": anybody(),
  "POST /app/short-links": anybody(() => ({ fields: { url: "https://example.com/new" } })),
  "GET /app/short-links/domains": anybody(async (team) => {
    await team.openDomain();
    return {};
  }),
  "POST /app/short-links/domains": anybody((team) => ({
    // Another name for each who sends it.
    get fields() {
      return { domain: team.newDomain() };
    },
  })),
  // The domain is verified already, so the check asks no DNS server.
  "POST /app/short-links/domains/:id/check": anybody(async (team) => ({
    params: { id: await team.domain() },
  })),
  "POST /app/short-links/domains/:id/remove": anybody(async (team) => ({
    params: { id: await team.domain() },
  })),
  "GET /app/short-links/:id": ofShortLink(),
  "GET /app/short-links/:id/qr.svg": ofShortLink(),
  "GET /app/short-links/:id/qr.png": ofShortLink(),
  "POST /app/short-links/:id": ofShortLink({ url: "https://example.com/changed" }),
  "POST /app/short-links/:id/rules": ofShortLink({
    do: "save",
    zone: "UTC",
    "rules.0.type": "geo",
    "rules.0.countryCodes": "DE,AT",
    "rules.0.destination": "https://example.com/de",
  }),
  "POST /app/short-links/:id/switch": ofShortLink({ on: "false", back: "link" }),
  "POST /app/short-links/:id/delete": ofShortLink(),

  "GET /app/me": anybody(),
  "GET /app/me/data": anybody(),
  "POST /app/me/name": personal(() => ({ fields: { name: "New" } })),
  "POST /app/me/passkeys/:id/name": ofPasskey({ name: "New" }),
  "POST /app/me/passkeys/:id/remove": ofPasskey(),
  "POST /app/me/sessions/:id/end": personal(async (team, holder) => ({
    params: { id: await team.session(holder) },
  })),
  "POST /app/me/sessions/end-others": personal(async (team, holder) => {
    await team.session(holder);
    return {};
  }),

  "GET /app/settings": anybody(),
  "POST /app/settings": atLeast("ADMIN", () => ({ fields: { zone: "Europe/Berlin" } })),
  "POST /app/settings/color": atLeast("ADMIN", () => ({ fields: { color: "#3a46d6" } })),
  "POST /app/settings/approval": atLeast("OWNER", () => ({
    fields: { requireMemberApproval: "on" },
  })),
  "POST /app/settings/notifications": anybody(() => ({ fields: { "failures.email": "on" } })),
  "POST /app/settings/messaging": atLeast("ADMIN", () => ({
    fields: { whose: "team", url: "https://example.com/hook" },
  })),
  "POST /app/settings/push": anybody(async () => {
    const { endpoint, keys } = await newBrowser();
    return { fields: { endpoint, ...keys } };
  }),
  "POST /app/settings/push/:id/remove": anybody(async (team, holder) => ({
    params: { id: await team.browser(holder) },
  })),
  "POST /app/settings/logo": atLeast("ADMIN", () => ({ fields: { logo: photo() } })),
  "POST /app/settings/logo/remove": atLeast("ADMIN", nothing),
  "GET /app/settings/export": atLeast("OWNER", nothing),
  "POST /app/settings/delete": {
    ...atLeast("OWNER", (team) => ({ fields: { confirm: team.text("team") } })),
    stranger: 400,
    endsTeam: true,
  },

  "GET /app/settings/apps": anybody(),
  "POST /app/settings/apps": atLeast("ADMIN", () => ({
    fields: { name: "New", redirectUris: "https://app.example/callback", kind: "secret" },
  })),
  "GET /app/settings/apps/:id": ofApp("MEMBER"),
  "POST /app/settings/apps/:id": ofApp("ADMIN", {
    name: "Changed",
    redirectUris: "https://app.example/callback",
  }),
  "GET /app/settings/apps/:id/secret": ofApp("ADMIN"),
  "POST /app/settings/apps/:id/secret": ofApp("ADMIN"),
  "GET /app/settings/apps/:id/delete": ofApp("ADMIN"),
  "POST /app/settings/apps/:id/delete": ofApp("ADMIN"),

  "GET /app/settings/version": ofInstance(),

  "GET /app/setup": ofInstance(),
  // A platform that cannot be asked: the answer is a sentence of ours.
  "POST /app/setup/:platform/check": ofInstance(() => ({ params: { platform: "instagram" } })),
  "GET /app/setup/:platform/check": ofInstance(() => ({ params: { platform: "instagram" } })),
  "GET /app/setup/:platform": ofInstance(() => ({ params: { platform: "instagram" } })),
  "POST /app/setup/:platform/steps": ofInstance(() => ({
    params: { platform: "instagram" },
    fields: { step: "app", done: "yes" },
  })),

  "GET /app/suggestions": anybody(),
  "POST /app/suggestions": anybody(() => ({ fields: { title: "New" } })),
  "GET /app/tokens": anybody(),
  "POST /app/tokens": {
    ...anybody((team) => ({ fields: { name: "New", scopes: "*", team: String(team.teamId) } })),
    stranger: 403,
  },
  "GET /app/tokens/:id/revoke": ofToken,
  "POST /app/tokens/:id/revoke": ofToken,
  "POST /app/tokens/:id/extend": anybody(async (team, holder) => ({
    params: { id: await team.program(holder) },
    fields: { scopes: "posts:publish" },
  })),

  "GET /app/activity": anybody(),
  "GET /app/team": anybody(),
  "POST /app/team/show": {
    ...personal((team) => ({ fields: { team: String(team.teamId) } })),
    stranger: 404,
  },
  "POST /app/team/name": atLeast("OWNER", () => ({ fields: { name: "Renamed" } })),
  "POST /app/team/members/:id": ofMember("OWNER", "MEMBER", { role: "ADMIN" }),
  "GET /app/team/members/:id/remove": ofMember("MEMBER", "MEMBER"),
  "POST /app/team/members/:id/remove": ofMember("ADMIN", "MEMBER"),
  "POST /app/team/invites": atLeast("ADMIN", () => ({ fields: { role: "MEMBER" } })),
  "POST /app/team/invites/:id/revoke": atLeast("ADMIN", async (team) => ({
    params: { id: await team.invite() },
  })),
};
