import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { named } from "../../db/named.ts";
import { islandPath } from "../../pages/app-layout.tsx";
import { clockOf } from "../../pages/times.tsx";
import { connectorOf } from "../../platforms/registry.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import type { PageEnv } from "../auth/signed-in.ts";
import { blocksOfTeam } from "../blocks/repo.ts";
import type { Notice } from "../dashboard/parts.tsx";
import { renderOwnPage } from "../dashboard/parts.tsx";
import { draftById, draftsOf } from "../drafts/repo.ts";
import type { DraftContent } from "../drafts/table.ts";
import { mediaPath } from "../media/files.ts";
import { filesByHash, type MediaRow } from "../media/repo.ts";
import { MOCK_STYLES } from "../review/drawn.tsx";
import { zoneOfTeam } from "../settings/repo.ts";
import { ComposeForm } from "./compose-form.tsx";
import { EMPTY_CONTENT } from "./content.ts";
import { contentOf } from "./edited-post.ts";
import { type LookUps, NOT_ASKED } from "./look-ups.ts";
import {
  type EditableUpload,
  editableUpload,
  filesOfDraft,
  filesOfUpload,
  namedPools,
} from "./repo.ts";
import { SCRIPT_STYLES } from "./script-styles.ts";
import { COMPOSE_STYLES } from "./styles.ts";
import {
  type EditedPost,
  platformsOf,
  type ShownError,
  type ShownFile,
  shownAccount,
  type View,
} from "./view.ts";

export const PATH = "/app/compose";
const MAX_LISTED = 10;

interface Written {
  content: DraftContent;
  draft: View["draft"];
  key: string;
}

export interface Scene {
  /** What the form had; null for a page that is opened. */
  written: Written | null;
  draftId: number | null;
  uploadId: number | null;
  errors?: readonly ShownError[];
  notice?: Notice | null;
  status?: number;
  isConflict?: boolean;
  acceptedCount?: number;
  lookUps?: LookUps;
  previews?: Child;
  /** The errors are what a sending would refuse. */
  isPreview?: boolean;
}

const HASH = /^[0-9a-f]{64}$/;

/** The content that the address names. */
function contentOfAddress(c: Context<PageEnv>): DraftContent {
  const { at = "", text = "" } = c.req.query();
  const ids = (c.req.queries("mediaId") ?? []).filter((id) => HASH.test(id)).slice(0, 50);
  const isPlanned = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?$/.test(at);
  return {
    ...EMPTY_CONTENT,
    description: text.slice(0, 10_000),
    media: ids.map((mediaId) => ({ mediaId, altText: "" })),
    ...(isPlanned ? { when: { kind: "at" as const, at, poolId: null } } : {}),
  };
}

/** @throws AppError NOT_FOUND */
export async function showComposer(c: Context<PageEnv>, scene: Scene): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const start = scene.written?.content ?? contentOfAddress(c);
  const { draftId, uploadId } = scene;
  const hashes = hashesOf(start);
  const { queries, read } = named({
    zones: zoneOfTeam({ team }),
    accounts: accountsOfTeam(team, {}),
    pools: namedPools({ team }),
    blocks: blocksOfTeam({ team }),
    drafts: draftsOf({ team, limit: MAX_LISTED }),
    draft: draftId !== null && !scene.written ? draftById({ team, id: draftId }) : null,
    draftFiles: draftId !== null ? filesOfDraft({ team, id: draftId }) : null,
    uploadFiles: uploadId !== null ? filesOfUpload({ team, id: uploadId }) : null,
    files: hashes.length > 0 ? filesByHash(team, hashes) : null,
    upload: uploadId !== null ? editableUpload({ team, id: uploadId }) : null,
  });
  const found = read(await ctx.read("posts:write", queries));
  const [zone = null] = found.zones;
  const clock = clockOf(zone);
  const draft = found.draft?.[0];
  if (found.draft && !draft) throw notFound("Draft");
  const upload = found.upload?.[0];
  if (found.upload && !upload && !scene.written) throw notFound("Upload");
  const written = scene.written ?? {
    content: draft?.content ?? (upload ? contentOf(upload, clock.zone) : start),
    draft: draft ? { id: draft.id, version: draft.version } : null,
    key: randomHex(16),
  };
  const stored = [
    ...(found.files ?? []),
    ...(found.draftFiles ?? []),
    ...(found.uploadFiles ?? []),
  ];
  const view: View = {
    ...written,
    actor: ctx.actor,
    clock,
    accounts: found.accounts.map((account) => shownAccount(account, ctx.config)),
    pools: found.pools,
    blocks: found.blocks,
    drafts: found.drafts,
    files: await shownFiles(c, stored),
    upload: upload ? toEdited(upload) : null,
    errors: scene.errors ?? [],
    notice: scene.notice ?? null,
    isConflict: scene.isConflict ?? false,
    acceptedCount: scene.acceptedCount ?? 0,
    lookUps: scene.lookUps ?? NOT_ASKED,
    isPreview: scene.isPreview ?? false,
  };
  return renderOwnPage(
    c,
    {
      title: upload ? `Edit post ${upload.id}` : "Compose",
      here: PATH,
      styles: MOCK_STYLES + COMPOSE_STYLES + SCRIPT_STYLES,
      status: scene.status ?? 200,
      scripts: [islandPath("compose")],
      imageSources: ["blob: data:", ...pictureHosts(view)].join(" "),
      hasMedia: true,
      mediaSources: "blob:",
      ...(ctx.config.storage
        ? { connectSources: new URL(ctx.config.storage.endpoint).origin }
        : {}),
    },
    <>
      <h1>{upload ? `Edit post ${upload.id}` : "Compose"}</h1>
      <ComposeForm view={view} previews={scene.previews} />
    </>,
  );
}

const pictureHosts = (view: View): readonly string[] =>
  platformsOf(view).flatMap((platform) => connectorOf(platform).extras?.pictureHosts ?? []);

const hashesOf = ({ media, thumbnailMediaId }: DraftContent): string[] => [
  ...media.map(({ mediaId }) => mediaId),
  ...(thumbnailMediaId ? [thumbnailMediaId] : []),
];

const toEdited = ({ id, platform, accountName, scheduledFor }: EditableUpload): EditedPost => ({
  id,
  platform,
  accountName: accountName ?? "a removed account",
  scheduledFor,
});

async function shownFiles(
  c: Context<PageEnv>,
  rows: readonly MediaRow[],
): Promise<Map<string, ShownFile>> {
  const { ctx } = c.var;
  const entries = rows.map(async (row) => {
    const { teamId, sha256, kind } = row;
    const thumbnail = kind === "image" ? await mediaPath(ctx, teamId, sha256, "thumbnail") : null;
    const address = kind === "video" ? await mediaPath(ctx, teamId, sha256) : null;
    return [sha256, { ...row, thumbnail, address }] as const;
  });
  return new Map(await Promise.all(entries));
}
