import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Source: spec, "Agent endpoint": what the bridge adds. */
export const CAROUSEL = {
  maxFiles: 35,
  maxBytes: 20_000_000,
  types: ["image/jpeg", "image/png", "image/webp"],
  typeNames: "JPEG, PNG or WebP",
} as const;
export const VIDEO = {
  maxFiles: 1,
  maxBytes: 5_000_000_000,
  types: ["video/mp4", "video/quicktime", "video/webm"],
  typeNames: "MP4, MOV, WebM or M4V",
} as const;

const path = z.string().min(1).max(4_096);

export const LOCAL_TOOLS = {
  publish_carousel: {
    limits: CAROUSEL,
    title: "Publish local photos",
    description: `Publishes 1 to ${CAROUSEL.maxFiles} photos of this machine (${CAROUSEL.typeNames}, up to 20 MB each) as one post, several as a carousel in the order given. Otherwise like create_post: it takes its arguments, with paths in the place of mediaUrls, and answers as it does. Platforms take fewer: get_platform_capabilities tells how many. This is public and mostly cannot be undone: show text and photos to your user first.`,
    own: z.object({
      paths: z
        .array(path)
        .min(1)
        .max(CAROUSEL.maxFiles)
        .describe(
          "Files in the folders that your user allowed, absolute or from the first of them.",
        ),
    }),
  },
  publish_video: {
    limits: VIDEO,
    title: "Publish a local video",
    description: `Publishes a video of this machine (${VIDEO.typeNames}, up to 5 GB). Otherwise like create_post: it takes its arguments, with path in the place of mediaUrls, and answers as it does. Sending takes as long as the line needs; what breaks off is gone on with by the same call. Platforms may take less: get_platform_capabilities tells. This is public and mostly cannot be undone: show text and video to your user first.`,
    own: z.object({
      path: path.describe(
        "A file in the folders that your user allowed, absolute or from the first of them.",
      ),
    }),
  },
} as const;

export type LocalToolName = keyof typeof LOCAL_TOOLS;

export const isLocalTool = (name: string): name is LocalToolName =>
  Object.hasOwn(LOCAL_TOOLS, name);

/** The list is empty when the instance lacks create_post. */
export function describeLocalTools(remote: readonly Tool[]): Tool[] {
  const createPost = remote.find(({ name }) => name === "create_post");
  if (!createPost) return [];
  const { inputSchema, outputSchema, annotations } = createPost;
  const { mediaUrls: _, mediaIds: __, ...shared } = inputSchema.properties ?? {};
  return Object.entries(LOCAL_TOOLS).map(([name, { title, description, own }]) => {
    const { properties = {} } = z.toJSONSchema(own) as { properties?: Record<string, object> };
    return {
      name,
      title,
      description,
      annotations,
      inputSchema: {
        ...inputSchema,
        properties: { ...properties, ...shared } as typeof shared,
        required: [...Object.keys(properties), ...(inputSchema.required ?? [])],
      },
      ...(outputSchema ? { outputSchema } : {}),
    };
  });
}

/** Describes the tools without arguments, because only the instance knows the arguments. */
const REMOTE_TOOLS = {
  list_accounts: "Lists the connected accounts, with the ids that the other tools take.",
  get_platform_capabilities: "Gets the limits of a platform.",
  find_mentions: "Finds accounts that a post can mention.",
  create_post: "Publishes or schedules a post to several accounts.",
  get_post_status: "Gets the state of one post.",
  list_recent_posts: "Lists the newest posts.",
  suggest_hashtags: "Suggests hashtags for a text.",
  validate_post: "Checks a post without publishing it.",
  update_post: "Edits a post, or the text of a published one.",
  unpublish_post: "Takes a published post down.",
  create_review_link: "Makes a page where a client reviews posts.",
} as const;

/** @param reason one sentence */
export function listToolsWithout(reason: string): Tool[] {
  const remote = Object.entries(REMOTE_TOOLS).map(
    ([name, description]): Tool => ({ name, description, inputSchema: { type: "object" } }),
  );
  return [...remote, ...describeLocalTools(remote)].map((tool) => ({
    ...tool,
    description: `Out of reach for now. ${reason} Call list_accounts to try again. ${tool.description}`,
  }));
}
