import type { Call } from "../kit/simulator.ts";
import { serverOf } from "./call.ts";

interface Limits {
  characters: number;
  files: number;
  description: number;
  imageBytes: number;
  videoBytes: number;
  options: number;
  types: readonly string[];
}

/** Source: Mastodon 4.5, `rest/instance_serializer.rb`. */
const USUAL: Limits = {
  characters: 500,
  files: 4,
  description: 1_500,
  imageBytes: 16_777_216,
  videoBytes: 103_809_024,
  options: 4,
  types: [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/heic",
    "image/heif",
    "image/webp",
    "image/avif",
    "video/webm",
    "video/mp4",
    "video/quicktime",
    "video/ogg",
  ],
};

/** A server whose owner allows more, as many do. */
const GENEROUS = { ...USUAL, characters: 5_000, files: 8, options: 10 };

/** Servers of the simulation. The second has the name of a real one. */
export const SERVERS: Readonly<Record<string, Limits>> = {
  "https://mastodon.sandbox.test": USUAL,
  "https://mastodon.social": USUAL,
  "https://generous.sandbox.test": GENEROUS,
};

export const limitsOf = (call: Pick<Call, "req">): Limits => SERVERS[serverOf(call)] ?? USUAL;

/** Seconds. */
export const POLL = { least: 300, max: 2_629_746, characters: 50 };

export const LINK_CHARACTERS = 23;

export function readInstance(call: Call): Response {
  const { characters, files, description, imageBytes, videoBytes, options, types } = limitsOf(call);
  const { host } = new URL(call.req.url);
  return Response.json({
    domain: host,
    uri: host,
    title: "Mastodon, simulated",
    version: "4.5.0",
    source_url: "https://github.com/mastodon/mastodon",
    configuration: {
      accounts: { max_featured_tags: 10, max_pinned_statuses: 5 },
      statuses: {
        max_characters: characters,
        max_media_attachments: files,
        characters_reserved_per_url: LINK_CHARACTERS,
      },
      media_attachments: {
        description_limit: description,
        supported_mime_types: types,
        image_size_limit: imageBytes,
        image_matrix_limit: 33_177_600,
        video_size_limit: videoBytes,
        video_frame_rate_limit: 120,
        video_matrix_limit: 8_294_400,
      },
      polls: {
        max_options: options,
        max_characters_per_option: POLL.characters,
        min_expiration: POLL.least,
        max_expiration: POLL.max,
      },
    },
    api_versions: { mastodon: 7 },
  });
}
