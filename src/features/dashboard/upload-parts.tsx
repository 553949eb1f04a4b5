import { formatBytes } from "../../core/counts.ts";
import { isDraft, STATUS_WORDS } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { Fact } from "../../pages/fact.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { mediaPath } from "../media/files.ts";
import { toPartAnswers } from "../posts/parts.ts";
import type { MediaRef } from "../posts/table.ts";
import { Section } from "./parts.tsx";
import type { WholeUpload } from "./repo.ts";
import { timelineOf } from "./timeline.ts";

export interface File {
  name: string;
  thumbnail: string | null;
  original: string | null;
}

const KINDS = { image: "Image", video: "Video", document: "Document" } as const;

export async function toFile(
  ctx: Pick<Ctx, "config" | "now">,
  teamId: number,
  item: MediaRef,
): Promise<File> {
  if (!("sha256" in item)) {
    const isOver = item.isGone || item.problem !== undefined;
    const name = `${isOver ? "Not downloaded" : "To be downloaded"}: ${item.url}`;
    return { name, thumbnail: null, original: null };
  }
  const { sha256, kind, isGone, hasThumbnail } = item;
  const path = (variant: "original" | "thumbnail") => mediaPath(ctx, teamId, sha256, variant);
  const isShown = kind === "image" && (!isGone || hasThumbnail);
  const role =
    item.role === "thumbnail"
      ? ", the video's picture"
      : item.role === "part"
        ? ", of the thread"
        : item.setting
          ? `, ${item.setting}`
          : "";
  return {
    name: `${KINDS[kind]}${role}${isGone ? ", no longer stored" : ""}`,
    thumbnail: isShown ? await path("thumbnail") : null,
    original: isGone ? null : await path("original"),
  };
}

export const Content = ({ upload, files }: { upload: WholeUpload; files: readonly File[] }) => (
  <Section id="content-of-post" title="Content">
    {upload.title && <p class="text">{upload.title}</p>}
    {upload.description && <p class="text">{upload.description}</p>}
    {!upload.title && !upload.description && <p class="muted">The post has no text.</p>}
    {upload.parts && (
      <ol>
        {toPartAnswers(upload).map(({ position, text, status, shareUrl, errorMessage, kind }) => (
          <li>
            <strong>
              Part {position}, {kind === "comment" ? "first comment" : "post of the thread"}
            </strong>
            , {upload.unpublishedAt && status === "completed" ? "taken down" : STATUS_WORDS[status]}
            {shareUrl && !upload.isSimulated && !upload.unpublishedAt && (
              <>
                {" "}
                <a href={shareUrl} rel="noreferrer">
                  Open it on {platformName(upload.platform)}
                </a>
              </>
            )}
            <p class="text">{text}</p>
            {errorMessage && <p>{errorMessage}</p>}
          </li>
        ))}
      </ol>
    )}
    {files.length > 0 && (
      <ul class="files">
        {files.map(({ name, thumbnail, original }, i) => (
          <li>
            {thumbnail && (
              <img src={thumbnail} alt={`File ${i + 1} of the post`} loading="lazy" width="160" />
            )}
            {original ? <a href={original}>{name}</a> : <span class="muted">{name}</span>}
          </li>
        ))}
      </ul>
    )}
  </Section>
);

const toText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Settings without content, as JSON. */
const EMPTY = ["", "null", "[]", "{}"];

export const Facts = ({ upload, clock }: { upload: WholeUpload; clock: Clock }) => {
  const { scheduledFor, dueAt, fileSize, attempt: attempts, metadata, creditsSpent } = upload;
  const settings = Object.entries(upload.settings).filter(
    ([, value]) => !EMPTY.includes(toText(value)),
  );
  return (
    <Section id="facts" title="Details">
      <dl>
        {scheduledFor && (
          <Fact name="Planned for">
            <Time at={scheduledFor} clock={clock} />
          </Fact>
        )}
        {dueAt && !isDraft(upload.status) && (
          <Fact name="Next try">
            <Time at={dueAt} clock={clock} />
          </Fact>
        )}
        <Fact name="Attempts">{attempts}</Fact>
        {fileSize > 0 && <Fact name="Files">{formatBytes(fileSize)}</Fact>}
        {metadata && <Fact name="Id on the platform">{metadata.videoId}</Fact>}
        {creditsSpent !== null && (
          <Fact name="Credits">
            {creditsSpent} spent, {upload.creditsRefunded ?? 0} given back
          </Fact>
        )}
        {settings.map(([name, value]) => (
          <Fact name={<code>{name}</code>}>{toText(value)}</Fact>
        ))}
      </dl>
    </Section>
  );
};

export const Timeline = ({
  upload,
  events,
  clock,
}: {
  upload: WholeUpload;
  events: Parameters<typeof timelineOf>[1];
  clock: Clock;
}) => (
  <Section id="timeline" title="Timeline">
    <ol class="timeline">
      {timelineOf(upload, events, clock).map(({ at, text }) => (
        <li>
          <p class="muted">
            <Time at={at} clock={clock} />
          </p>
          <p>{text}</p>
        </li>
      ))}
    </ol>
  </Section>
);
