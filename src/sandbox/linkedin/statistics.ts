import { followersOf, reactionsTo } from "../kit/audience.ts";
import { type Call, idOf } from "../kit/simulator.ts";
import type { RowOf } from "../kit/table.ts";
import { ADMIN_SCOPES, authenticate, type Member, requireActor } from "./accounts.ts";
import { accessDenied, decode, encodedParam, invalidValue } from "./call.ts";
import { posts } from "./posts.ts";

export const reactionsOf = ({ author, body, created_at }: RowOf<typeof posts>) =>
  reactionsTo(`linkedin ${author} ${body.commentary}`, created_at);

export async function readFollowers(call: Call): Promise<Response> {
  await authenticate(call);
  const urn = decode(idOf(call));
  if (call.req.query("edgeType") !== "COMPANY_FOLLOWED_BY_MEMBER") {
    throw invalidValue("The parameter edgeType is invalid");
  }
  if (!urn.startsWith("urn:li:organization:")) throw invalidValue("The key is no organization");
  return Response.json({ firstDegreeSize: followersOf(`linkedin ${urn}`) });
}

/** Reads `shares=List(a,b)` with unencoded parentheses and commas. */
function listParam({ req }: Call, name: string, kind: RegExp): string[] {
  const list = new RegExp(`[?&]${name}=([^&]*)`).exec(req.url)?.[1];
  if (list === undefined) return [];
  const inner = /^List\(([^()]+)\)$/.exec(list)?.[1];
  if (!inner || inner.includes(":")) throw invalidValue(`The parameter ${name} is no list`);
  const urns = inner.split(",").map(decode);
  const odd = urns.find((urn) => !kind.test(urn));
  if (odd) throw invalidValue(`Invalid value ${odd} in the parameter ${name}`);
  return urns;
}

/** LinkedIn omits posts without views. */
export async function readStatistics(call: Call): Promise<Response> {
  const { member } = await authenticate(call, ...ADMIN_SCOPES);
  if (encodedParam(call, "q") !== "organizationalEntity") {
    throw invalidValue("The finder q is not known");
  }
  const author = encodedParam(call, "organizationalEntity");
  requireAdmin(member, author);
  const shares = listParam(call, "shares", /^urn:li:share:\d+$/);
  const ugcPosts = listParam(call, "ugcPosts", /^urn:li:ugcPost:\d+$/);
  const { store, origin } = call.env;
  const elements = [...shares, ...ugcPosts].flatMap((urn) => {
    const row = posts.find(store, { urn, author, team_id: origin.teamId });
    const { views, likes, comments, shares: shareCount } = row ? reactionsOf(row) : NOTHING;
    if (views === 0) return [];
    const totalShareStatistics = {
      impressionCount: views,
      uniqueImpressionsCount: Math.floor(views * 0.8),
      clickCount: 0,
      likeCount: likes,
      commentCount: comments,
      shareCount,
      engagement: 0,
    };
    const kind = urn.startsWith("urn:li:share:") ? "share" : "ugcPost";
    return [{ [kind]: urn, organizationalEntity: author, totalShareStatistics }];
  });
  return Response.json({ paging: { start: 0, count: elements.length, links: [] }, elements });
}

const MEMBER_METRICS = new Map<string, (post: ReturnType<typeof reactionsOf>) => number>([
  ["IMPRESSION", ({ views }) => views],
  ["MEMBERS_REACHED", ({ views }) => Math.floor(views * 0.8)],
  ["RESHARE", ({ shares }) => shares],
  ["REACTION", ({ likes }) => likes],
  ["COMMENT", ({ comments }) => comments],
]);

const ENTITY_KINDS = { share: "share", ugc: "ugcPost" } as const;

/** From this version on, `metricType` is a word. */
const PLAIN_TYPE_SINCE = "202605";

/**
 * Only own posts, one figure per call.
 * @see https://learn.microsoft.com/linkedin/marketing/community-management/members/post-statistics
 */
export async function readMemberFigures(call: Call): Promise<Response> {
  const { member } = await authenticate(call, "r_member_postAnalytics");
  if (encodedParam(call, "q") !== "entity") throw invalidValue("The finder q is not known");
  const queryType = encodedParam(call, "queryType");
  const read = MEMBER_METRICS.get(queryType);
  if (!read) throw invalidValue(`Invalid value ${queryType} in the parameter queryType`);
  if ((call.req.query("aggregation") ?? "TOTAL") !== "TOTAL") {
    throw invalidValue(`The aggregation is not supported for a post and ${queryType}`);
  }
  const raw = /[?&]entity=([^&]*)/.exec(call.req.url)?.[1] ?? "";
  const [, name = "", encoded = ""] = /^\((share|ugc):([^:()]+)\)$/.exec(raw) ?? [];
  const kind = ENTITY_KINDS[name as keyof typeof ENTITY_KINDS];
  const urn = decode(encoded);
  if (!kind || !urn.startsWith(`urn:li:${kind}:`)) {
    throw invalidValue("The parameter entity is no union of share and ugc");
  }
  const { store, origin } = call.env;
  const row = posts.find(store, { urn, team_id: origin.teamId });
  if (!row || row.author !== member.urn) throw accessDenied(`Not the author of ${urn}`);
  const version = call.req.header("linkedin-version") ?? "";
  const metricType =
    version >= PLAIN_TYPE_SINCE
      ? queryType
      : {
          "com.linkedin.adsexternalapi.memberanalytics.v1.CreatorPostAnalyticsMetricTypeV1":
            queryType,
        };
  const elements = [{ count: read(reactionsOf(row)), metricType, targetEntity: { [kind]: urn } }];
  return Response.json({ paging: { start: 0, count: 10, links: [] }, elements });
}

const NOTHING = { views: 0, likes: 0, comments: 0, shares: 0 };

export function requireAdmin(member: Member, urn: string): void {
  if (urn !== member.urn) requireActor(member, urn);
  else throw accessDenied("Viewer is not an administrator of this organization");
}
