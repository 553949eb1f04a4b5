import { formatBytes } from "../../core/counts.ts";
import { isDraft } from "../../core/upload-status.ts";
import type { Deps } from "../../deps.ts";
import type { Layout } from "../../platforms/likeness.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { isSent } from "../content/as-published.ts";
import { filesToApprove } from "../content/files.ts";
import { mediaPath } from "../media/files.ts";
import { partName } from "../posts/parts.ts";
import type { MediaRef } from "../posts/table.ts";
import type { ShownPost } from "./find.ts";
import { altOf, ratioClass, type Shown } from "./likeness.ts";
import type { ReviewFile } from "./repo/posts.ts";

/** `address`: null when the file is not stored. */
type Shot =
  | { kind: "file"; file: ReviewFile; address: string; alt: string; poster: string | null }
  | { kind: "elsewhere"; address: string }
  /** `problem`: why the download failed; null while it may still succeed. */
  | { kind: "coming"; problem: string | null }
  | { kind: "gone" };

/** A thumbnail, or the image that a setting names. */
const pictureOf = (refs: readonly MediaRef[]) =>
  refs.find(
    (ref) =>
      ref.role !== undefined && "sha256" in ref && ref.kind === "image" && ref.isGone !== true,
  );

export async function shotsOf(
  deps: Deps,
  { teamId, media, files, status }: Pick<ShownPost, "teamId" | "media" | "files" | "status">,
  { altTexts }: Shown,
): Promise<Shot[]> {
  const main = media.filter(({ role }) => role === undefined);
  const sent = main.filter(isSent);
  const picture = pictureOf(media);
  const poster =
    picture && "sha256" in picture ? await mediaPath(deps, teamId, picture.sha256) : null;
  const toShot = async (ref: MediaRef, at: number): Promise<Shot> => {
    if (!("sha256" in ref)) {
      return isDraft(status)
        ? { kind: "coming", problem: ref.problem ?? null }
        : { kind: "elsewhere", address: ref.url };
    }
    const file = files.find(({ sha256 }) => sha256 === ref.sha256);
    if (!file || ref.isGone) return { kind: "gone" };
    const address = await mediaPath(deps, teamId, file.sha256);
    const alt = altOf(altTexts[sent.indexOf(ref)], at, main.length);
    return { kind: "file", file, address, alt, poster };
  };
  return Promise.all(main.map(toShot));
}

/** A file of a part, a video's picture, or subtitles. */
export interface SideFile {
  label: string;
  address: string | null;
  text: string;
  picture: string | null;
  altText: string | null;
}

function whereabouts(ref: MediaRef, isHeld: boolean): string {
  if ("sha256" in ref) return ref.isGone ? "No longer stored" : "See it";
  if (ref.isGone) return "It could not be fetched: the post goes out without it.";
  if (ref.problem !== undefined) return `It could not be fetched: ${ref.problem}`;
  return isHeld ? "It is still being fetched." : "It is fetched when the post goes out.";
}

function partFileName({ parts }: ShownPost, index: number): string {
  const names = (parts ?? []).flatMap((part, i) =>
    part.media.includes(index) ? [partName(part, i + 1)] : [],
  );
  return `File of: ${names.join(", ")}`;
}

export function sideFilesOf(deps: Deps, post: ShownPost): Promise<SideFile[]> {
  const isHeld = isDraft(post.status);
  const refs = isHeld ? filesToApprove(post) : post.media;
  const { settingFiles } = connectorOf(post.platform);
  return Promise.all(
    refs
      .filter(({ role }) => role !== undefined)
      .map(async (ref) => ({
        label:
          ref.role === "part"
            ? partFileName(post, post.media.indexOf(ref))
            : settingFiles?.[ref.setting ?? ""]?.kind === "subtitles"
              ? "File of the subtitles"
              : "Picture of the video",
        address:
          "sha256" in ref && !ref.isGone ? await mediaPath(deps, post.teamId, ref.sha256) : null,
        text: whereabouts(ref, isHeld),
        picture:
          "sha256" in ref && ref.kind === "image" && !ref.isGone
            ? await mediaPath(deps, post.teamId, ref.sha256)
            : null,
        altText: ref.role === "part" ? (ref.altText ?? null) : null,
      })),
  );
}

const hostOf = (address: string): string => URL.parse(address)?.host ?? "its address";

/** @param loads fetches a video's first frame before it is played */
const File = ({ shot, loads, isFirst }: { shot: Shot; loads: boolean; isFirst: boolean }) => {
  if (shot.kind === "gone") return <p class="note">This file is no longer stored.</p>;
  if (shot.kind === "coming") {
    return (
      <p class="note">
        {shot.problem === null
          ? "This file is still being fetched. Open the page again in a minute to see it."
          : `This file could not be fetched: ${shot.problem}`}
      </p>
    );
  }
  if (shot.kind === "elsewhere") {
    return (
      <p class="note">
        <span>This file is fetched from elsewhere when the post goes out.</span>
        <a href={shot.address} target="_blank" rel="noopener noreferrer">
          Open it at {hostOf(shot.address)}
        </a>
      </p>
    );
  }
  const { file, address, alt, poster } = shot;
  const size = { width: file.width ?? undefined, height: file.height ?? undefined };
  if (file.kind === "document") {
    return (
      <p class="note">
        <span>A document of {formatBytes(file.sizeBytes)}</span>
        <a href={address} download="document">
          Download it
        </a>
      </p>
    );
  }
  if (file.kind === "video") {
    return (
      <video
        controls
        playsinline
        preload={loads && poster === null ? "metadata" : "none"}
        poster={poster ?? undefined}
        aria-label={alt.replace(/^(The p|P)icture/, (start) =>
          start === "Picture" ? "File" : "The video",
        )}
        {...size}
      >
        <source src={address} type={file.mime} />
      </video>
    );
  }
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      <img
        src={address}
        alt={alt}
        loading={isFirst ? "eager" : "lazy"}
        decoding="async"
        {...size}
      />
    </a>
  );
};

/** All files in a strip have the shape of the first. */
function boxOf(layout: Layout, shot: Shot, shots: readonly Shot[]): string {
  if (layout === "vertical") return "box r9x16";
  if (shot.kind !== "file" || shot.file.kind === "document") return "";
  if (layout === "watch") return "box r16x9";
  const [first] = shots;
  const { width, height } = first?.kind === "file" ? first.file : shot.file;
  if (shots.length === 1 && shot.file.kind === "image" && width && height) return "";
  if (shot.file.kind === "video" && !(width && height)) return "box r16x9";
  return `box ${ratioClass(width, height)}`;
}

const GRID_MOST = 4;

export const Shots = ({
  id,
  shown: { layout, hasGrid },
  shots,
  loads,
  isFirst,
}: {
  id: number;
  shown: Shown;
  shots: readonly Shot[];
  loads: boolean;
  isFirst: boolean;
}) => {
  const count = shots.length;
  if (count === 0) return null;
  const isGrid = count > 1 && layout === "feed" && hasGrid;
  const isStrip = count > 1 && !isGrid;
  const classes = ["shots"];
  if (isGrid) classes.push("grid", ...(count > GRID_MOST ? ["many"] : []));
  if (isStrip) classes.push("strip");
  const name = isStrip ? `Files of post ${id}: ${count}, side by side` : undefined;
  return (
    <ul class={classes.join(" ")} aria-label={name} tabindex={isStrip ? 0 : undefined}>
      {shots.map((shot, i) => (
        <li class={isGrid ? undefined : boxOf(layout, shot, shots)}>
          <File shot={shot} loads={loads} isFirst={isFirst && i === 0} />
          {isStrip && (
            <span class="count" aria-hidden="true">
              {i + 1}/{count}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
};
