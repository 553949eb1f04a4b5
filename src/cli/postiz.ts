import * as z from "zod";
import { isPlatform, type Platform } from "../core/platforms.ts";
import { addMonths, DAY } from "../core/time.ts";
import { ask } from "./api.ts";
import { parseJson } from "./json.ts";
import { Problem } from "./program.ts";

/** The horizon of planned posts. */
const MONTHS = 6;

/** @see https://docs.postiz.com/public-api/posts/list */
const postsSchema = z.object({
  posts: z.array(
    z.object({
      id: z.string(),
      content: z.string().nullish(),
      publishDate: z.string(),
      state: z.string().nullish(),
      intervalInDays: z.number().nullish(),
      integration: z.object({
        id: z.string(),
        providerIdentifier: z.string().nullish(),
        name: z.string().nullish(),
      }),
    }),
  ),
});

/** @see https://docs.postiz.com/public-api/integrations/list */
const integrationsSchema = z.array(
  z.object({
    id: z.string(),
    identifier: z.string(),
    name: z.string().nullish(),
    profile: z.string().nullish(),
  }),
);

export type PostizPost = z.infer<typeof postsSchema>["posts"][number];
export type PostizIntegration = z.infer<typeof integrationsSchema>[number];

export interface PostizPosts {
  posts: PostizPost[];
  integrations: PostizIntegration[];
}

interface Source {
  url: string;
  key: string;
}

async function read<S extends z.ZodType>(
  { url, key }: Source,
  path: string,
  schema: S,
): Promise<z.output<S>> {
  const { response, text } = await ask(`${url.replace(/\/$/, "")}${path}`, {
    headers: { Authorization: key },
  });
  const named = `Postiz, GET ${path.split("?")[0]}`;
  if (!response.ok) throw new Problem(`${named}: ${response.status} ${text.slice(0, 200)}`);
  const answer = schema.safeParse(parseJson(text));
  if (answer.success) return answer.data;
  throw new Problem(
    `${named}: the answer is not that of Postiz's public API. Is the address right?`,
  );
}

/** Drafts may have dates that have passed. */
const MONTHS_OF_DRAFTS = 24;

/** Reads drafts, and what is planned from `now` on. */
export async function readPostizPosts(source: Source, now: Date): Promise<PostizPosts> {
  const integrations = await read(source, "/integrations", integrationsSchema);
  const range = new URLSearchParams({
    startDate: addMonths(now, -MONTHS_OF_DRAFTS).toISOString(),
    endDate: new Date(addMonths(now, MONTHS).getTime() - DAY).toISOString(),
  });
  const { posts } = await read(source, `/posts?${range}`, postsSchema);
  const isWanted = ({ state, publishDate }: PostizPost) =>
    state === "DRAFT" || (state === "QUEUE" && new Date(publishDate) >= now);
  return { posts: posts.filter(isWanted), integrations };
}

const OTHER_NAMES: Partial<Record<string, Platform>> = { gmb: "google_business" };

/** `linkedin-page`, `instagram-standalone` and the like are the platform too. */
function platformOf(identifier: string): Platform | null {
  const name = identifier.split("-")[0] ?? "";
  return isPlatform(name) ? name : (OTHER_NAMES[name] ?? null);
}

/** The instance looks the account up by its handle; an account of Postiz without one, by its name. */
function accountOf({ identifier, profile, name }: PostizIntegration): string {
  return `${platformOf(identifier) ?? identifier}:${profile || name || ""}`;
}

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  "#39": "'",
};

/** Postiz keeps texts as HTML paragraphs. */
export const plainText = (content: string): string =>
  content
    .replace(/<br\s*\/?>/gi, "\n")
    .replace(/<\/(?:p|div|li|h[1-6])>\s*(?=<)/gi, "\n")
    .replace(/<[^>]+>/g, "")
    .replace(/&(#39|\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .trim();

/** Rows of a sheet: drafts, with dates that are to come. A repeated post of Postiz has one row for each of its dates. */
export function toRows({ posts, integrations }: PostizPosts, now: Date): string[][] {
  const byId = new Map(integrations.map((one) => [one.id, one]));
  return [
    ["account", "importId", "caption", "scheduledFor", "status"],
    ...posts.map(({ id, content, publishDate, intervalInDays, integration }) => {
      const account = byId.get(integration.id) ?? {
        id: integration.id,
        identifier: integration.providerIdentifier ?? "",
        name: integration.name,
      };
      const at = new Date(publishDate);
      const date = at > now ? at.toISOString() : "";
      const importId = intervalInDays ? `postiz:${id}:${at.toISOString()}` : `postiz:${id}`;
      return [accountOf(account), importId, plainText(content ?? ""), date, "draft"];
    }),
  ];
}
