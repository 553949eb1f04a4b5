import type { Role } from "../../src/deps.ts";
import { FEED_URL, type Fields } from "./harness.ts";
import type { Holder, PlantedTeam } from "./permission-team.ts";
import { newBrowser } from "./push-service.ts";
import { photo } from "./stage.ts";

/** Everything that a call sends beside its credentials. */
export interface Sent {
  /** By their names in the path. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  json?: Record<string, unknown>;
  form?: Fields;
  file?: Blob;
}

/** A call to one operation, and the people who may make it. */
export interface Permission {
  /** The least role that may. */
  least: Role;
  /** Makes what the call needs in the team, and the call of this holder to it. */
  call(team: PlantedTeam, holder: Holder): Promise<Sent> | Sent;
  /** The answer to another team's caller: by default 404 where an id is in the path, else 200. */
  stranger?: string;
  /** The answer to a member of the team who acts for another one of theirs: by default the stranger's. */
  elsewhere?: string;
  /** The call ends its team: whoever may make it makes it for a team of their own. */
  endsTeam?: true;
  /** Names one of several calls to an operation. */
  as?: string;
}

const nothing = () => ({});
const NOT_FOUND = "404 NOT_FOUND";
const FORBIDDEN = "403 FORBIDDEN";

const anybody = (call: Permission["call"], stranger?: string): Permission => ({
  least: "MEMBER",
  call,
  ...(stranger ? { stranger } : {}),
});

const ofAccount = anybody(async (team) => ({ params: { id: await team.account() } }));
const ofUpload = anybody(async (team) => ({ params: { id: await team.upload() } }));
const ofFile = (sent: Omit<Sent, "params"> = {}): Permission =>
  anybody(async (team) => ({ params: { mediaId: await team.file() }, ...sent }));
const ofDraft = anybody(async (team) => ({ params: { id: await team.draft() } }));
const askedOf = (platform: string) =>
  anybody(async (team) => ({ query: { accountId: await team.account(platform) } }), NOT_FOUND);

const ofHeld = async (team: PlantedTeam) => ({
  params: { id: await team.upload({ status: "pending_approval" }) },
});
const ofDomain = anybody(async (team) => ({ params: { id: await team.domain() } }));
const ofShortLink = anybody(async (team) => ({ params: { id: await team.shortLink() } }));
const ofWebhook = async (team: PlantedTeam) => ({ params: { id: await team.webhook() } });

/** A call about a pool, or its slot or item. Source: spec, "Errors": those of another team are forbidden. */
const ofPool = (sent: Omit<Sent, "params"> = {}): Permission =>
  anybody(async (team) => {
    const { id, slotId, itemId } = await team.pool();
    return { params: { id, slotId, itemId }, ...sent };
  }, FORBIDDEN);

/** The figures of an account. Source: as above. */
const ofMeasured = anybody(
  async (team) => ({ params: { connectedAccountId: await team.account() } }),
  FORBIDDEN,
);

/** The call may be made by the holders of a role and of those above it. */
const atLeast = (least: Role, call: Permission["call"]): Permission => ({ least, call });

/** A call about a new member of the team. */
const ofMember =
  (role: Role, json?: Record<string, unknown>): Permission["call"] =>
  async (team) => ({
    params: { targetUserId: String((await team.join(role)).userId) },
    ...(json ? { json } : {}),
  });

/**
 * The permissions of the API by operationId. Scopes stand in the OpenAPI document; an operation that is
 * not here fails the matrix. Source: spec, "Teams" and "Authentication" 5.
 */
export const PERMISSIONS: Record<string, Permission | Permission[]> = {
  getPlatformCapabilities: anybody(nothing),
  getXCredits: anybody(nothing),
  getLimits: anybody(async (team) => ({ params: { accountId: await team.account() } })),

  listAccounts: anybody(nothing),
  getAccount: ofAccount,
  connectAccount: anybody(() => ({ json: { platform: "bluesky", sandbox: true, name: "New" } })),
  updateAccount: anybody(async (team) => ({
    params: { id: await team.account() },
    json: { tags: "changed" },
  })),
  deleteAccount: ofAccount,
  listLinkedInPages: [anybody(nothing), { as: "of one account", ...askedOf("linkedin") }],
  listPinterestBoards: askedOf("pinterest"),
  getTikTokStats: askedOf("tiktok"),
  getTikTokCreator: askedOf("tiktok"),

  listDrafts: anybody(nothing),
  createDraft: anybody(() => ({ json: { content: { title: "New" } } })),
  getDraft: ofDraft,
  saveDraft: anybody(async (team) => ({
    params: { id: await team.draft() },
    json: { content: { title: "Saved" }, version: 1 },
  })),
  deleteDraft: ofDraft,
  findMentions: anybody(async (team) => ({
    params: { id: await team.account("bluesky") },
    query: { query: "ada" },
  })),

  listRehearsals: atLeast("OWNER", nothing),
  startRehearsal: {
    ...atLeast("OWNER", async (team) => ({ json: { accountId: await team.account() } })),
    stranger: NOT_FOUND,
  },
  stepRehearsal: atLeast("OWNER", async (team) => ({
    params: { id: await team.rehearsal() },
    json: {},
  })),
  forgetRehearsal: atLeast("OWNER", async (team) => ({ params: { id: await team.rehearsal() } })),

  listConnectionLinks: anybody(async (team) => {
    await team.link();
    return {};
  }),
  createConnectionLink: anybody(() => ({ json: { platform: "x", mode: "sandbox" } })),
  deleteConnectionLink: anybody(async (team) => ({ params: { id: await team.link() } })),

  readCalendar: anybody(() => ({ query: { from: "2026-12-01", to: "2027-01-01" } })),
  listReports: anybody(nothing),
  createReport: anybody(() => ({ json: {} })),
  revokeReport: atLeast("ADMIN", async (team) => ({ params: { id: await team.report() } })),

  listCalendarFeeds: anybody(nothing),
  createCalendarFeed: anybody(nothing),
  deleteCalendarFeed: atLeast("ADMIN", async (team) => ({
    params: { id: await team.calendarFeed() },
  })),

  listUploads: anybody(nothing),
  getUpload: ofUpload,
  listPosts: anybody(nothing),
  getPost: ofUpload,
  createUpload: anybody(
    async (team) => ({ form: { accountId: await team.account(), description: "Hello" } }),
    NOT_FOUND,
  ),
  createUploads: anybody(async (team) => ({
    form: { accounts: JSON.stringify([await team.account()]), description: "Hello" },
  })),
  validateUploads: anybody(async (team) => ({
    form: { accounts: JSON.stringify([await team.account()]), description: "Hello" },
  })),
  importUploads: anybody(async (team) => ({
    form: { file: new File([`account,description\n${await team.account()},Hello\n`], "posts.csv") },
  })),
  listBlocks: anybody(() => ({})),
  saveBlock: anybody(() => ({ params: { name: "hello" }, json: { text: "Hello" } }), "200"),
  deleteBlock: anybody(async (team) => ({ params: { name: await team.block() } })),
  listFeeds: anybody(() => ({})),
  addFeed: anybody(
    async (team) => ({ json: { url: FEED_URL, accountIds: [await team.account()] } }),
    "400",
  ),
  updateFeed: anybody(async (team) => ({
    params: { id: await team.feed() },
    json: { template: "{title}" },
  })),
  deleteFeed: anybody(async (team) => ({ params: { id: await team.feed() } })),
  presignFiles: anybody(() => ({
    json: { route: "photos", files: [{ name: "a.png", size: 68, type: "image/png" }] },
  })),
  updateUpload: anybody(async (team) => ({
    params: { id: await team.upload() },
    json: { title: "Changed" },
  })),
  deleteUpload: ofUpload,
  unpublishUpload: atLeast("ADMIN", async (team) => ({
    params: { id: await team.upload({ isPublished: true }) },
  })),
  retryUpload: anybody(async (team) => ({
    params: { id: await team.upload({ isFailed: true }) },
    json: { force: true },
  })),
  retryFailedUploads: anybody(async (team) => {
    await team.upload({ isFailed: true });
    return { json: {} };
  }),

  listMedia: anybody(nothing),
  addMedia: anybody(() => ({ form: { file: photo() } })),
  getMedia: ofFile(),
  updateMedia: ofFile({ json: { name: "Changed.png" } }),
  deleteMedia: ofFile(),

  submitUpload: ofUpload,
  approveUpload: atLeast("ADMIN", async (team) => ({ ...(await ofHeld(team)), json: {} })),
  requestUploadChanges: atLeast("ADMIN", async (team) => ({
    ...(await ofHeld(team)),
    json: { comment: "Shorter" },
  })),
  createReviewLink: {
    ...atLeast("ADMIN", async (team) => ({ json: { uploadIds: [Number(await team.upload())] } })),
    stranger: NOT_FOUND,
  },

  exportTeam: { least: "OWNER", call: nothing },
  deleteTeam: {
    least: "OWNER",
    call: (team) => ({
      params: { id: String(team.teamId) },
      json: { confirm: team.text("team") },
    }),
    endsTeam: true,
  },

  listPools: anybody(async (team) => {
    await team.pool();
    return {};
  }),
  createPool: anybody(async (team) => {
    await team.pool();
    return { json: { name: "New", timezone: "UTC" } };
  }),
  getPool: ofPool(),
  updatePool: ofPool({ json: { name: "Changed" } }),
  deletePool: ofPool(),
  createSlot: anybody(async (team) => {
    const { id, accountId } = await team.pool();
    return { params: { id }, json: { time: "09:00", days: [1], accountIds: [accountId] } };
  }, "403 FORBIDDEN"),
  updateSlot: ofPool({ json: { time: "10:00" } }),
  deleteSlot: ofPool(),
  getPoolCapacity: ofPool(),
  previewPool: ofPool(),
  listPoolFirings: ofPool(),
  listPoolItems: ofPool(),
  addPoolItem: ofPool({ form: { title: "New", video: "https://example.com/a.mp4" } }),
  addPoolItems: ofPool({
    json: { items: [{ title: "New", videoUrl: "https://example.com/a.mp4" }] },
  }),
  updatePoolItem: ofPool({ json: { repeat: { every: { days: 3 }, times: 5 } } }),
  movePoolItem: ofPool({ json: { before: null } }),
  removePoolItem: ofPool(),
  clearPool: ofPool(),

  listWebhooks: anybody(nothing),
  createWebhook: atLeast("ADMIN", () => ({
    json: { url: "https://example.com/hook", events: ["upload.completed"] },
  })),
  updateWebhook: [
    atLeast("ADMIN", async (team) => ({
      ...(await ofWebhook(team)),
      json: { isActive: true },
    })),
    {
      as: "to pause it",
      ...anybody(async (team) => ({ ...(await ofWebhook(team)), json: { isActive: false } })),
    },
  ],
  deleteWebhook: anybody(ofWebhook),
  testWebhook: anybody(ofWebhook),
  rotateSecret: atLeast("ADMIN", ofWebhook),
  listDeliveries: anybody(ofWebhook),
  replayDelivery: atLeast("ADMIN", async (team) => {
    const id = await team.webhook();
    return { params: { id, deliveryId: await team.delivery(id) } };
  }),
  replayFailed: atLeast("ADMIN", async (team) => {
    const id = await team.webhook();
    await team.delivery(id, false);
    return { params: { id }, json: { since: "2026-01-01T00:00:00Z" } };
  }),
  listEvents: anybody(nothing),
  listActivity: anybody(nothing),

  getAnalyticsOverview: anybody(nothing),
  syncAccountAnalytics: { ...ofMeasured, least: "ADMIN" },
  getAccountAnalytics: ofMeasured,
  listLinkedInComments: anybody(
    async (team) => ({
      params: { connectedAccountId: await team.linkedInPage() },
      query: { postId: "urn:li:share:7123456789" },
    }),
    FORBIDDEN,
  ),

  listShortLinks: anybody(nothing),
  createShortLink: anybody(() => ({ json: { url: "https://example.com/" } })),
  getShortLink: ofShortLink,
  updateShortLink: anybody(async (team) => ({
    params: { id: await team.shortLink() },
    json: { title: "Changed" },
  })),
  deleteShortLink: ofShortLink,
  getShortLinkCode: ofShortLink,

  listDomains: anybody(nothing),
  // Another one each time that it is sent: a domain belongs to one team.
  addDomain: anybody((team) => ({
    json: {
      get domain() {
        return team.newDomain();
      },
    },
  })),
  verifyDomain: ofDomain,
  deleteDomain: ofDomain,

  listTokens: anybody(async (team, holder) => {
    await team.token(holder);
    return {};
  }),
  createToken: [
    anybody(() => ({ json: { name: "New" } })),
    {
      as: "of a team",
      ...anybody((team) => ({ json: { name: "New", teamId: team.teamId } }), "403 FORBIDDEN"),
      elsewhere: "200, changes activity, changes tokens",
    },
  ],
  revokeToken: anybody(async (team, holder) => ({ params: { id: await team.token(holder) } })),

  getTeam: anybody(nothing),
  renameTeam: atLeast("OWNER", () => ({ json: { name: "Renamed" } })),
  listMembers: anybody(nothing),
  changeMember: [
    atLeast("OWNER", ofMember("MEMBER", { role: "ADMIN" })),
    { as: "to deactivate them", ...atLeast("OWNER", ofMember("MEMBER", { isActive: false })) },
  ],
  removeMember: [
    atLeast("ADMIN", ofMember("MEMBER")),
    { as: "of an admin", ...atLeast("OWNER", ofMember("ADMIN")) },
  ],
  listInvites: atLeast("ADMIN", async (team) => {
    await team.invite();
    return {};
  }),
  createInvite: atLeast("ADMIN", () => ({ json: { role: "MEMBER", email: "new@example.com" } })),
  revokeInvite: atLeast("ADMIN", async (team) => ({ params: { id: await team.invite() } })),

  getSettings: anybody(nothing),
  changeSettings: [
    { as: "of the team", ...atLeast("ADMIN", () => ({ json: { zone: "Europe/Berlin" } })) },
    { as: "approval", ...atLeast("OWNER", () => ({ json: { requireMemberApproval: true } })) },
    { as: "of one's own", ...anybody(() => ({ json: { notifications: null } })) },
    {
      as: "the team's chat",
      ...atLeast("ADMIN", () => ({ json: { messaging: { team: "https://example.com/hook" } } })),
    },
    {
      as: "one's own chat",
      ...anybody(() => ({ json: { messaging: { own: "https://example.com/hook" } } })),
    },
  ],
  subscribePush: anybody(async () => ({ json: await newBrowser() })),
  unsubscribePush: {
    ...anybody(async (team, holder) => ({ params: { id: await team.browser(holder) } })),
  },
  storeLogo: atLeast("ADMIN", () => ({ file: photo() })),
  removeLogo: atLeast("ADMIN", nothing),
  listSuggestions: anybody(nothing),
  createSuggestion: anybody(() => ({ json: { title: "New" } })),
};
