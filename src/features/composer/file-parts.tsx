import { Section } from "../dashboard/parts.tsx";
import { ErrorPlace } from "./control.tsx";
import type { ShownFile, View } from "./view.ts";

const KINDS = { image: "Picture", video: "Video", document: "Document" } as const;

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

interface ItemProps {
  mediaId: string;
  altText: string;
  /** 0: the post itself. */
  part: number;
  parts: number;
  at: number;
  count: number;
  file: ShownFile | undefined;
  /** The files of an edited post stay as they are. */
  isFixed: boolean;
}

const FileItem = ({ mediaId, altText, part, parts, at, count, file, isFixed }: ItemProps) => {
  const name = `file ${at + 1}`;
  return (
    <li
      class="file"
      data-media-id={mediaId}
      data-kind={file?.kind}
      data-width={file?.width ?? undefined}
      data-height={file?.height ?? undefined}
      data-address={file?.address ?? undefined}
    >
      <input type="hidden" name="mediaId" value={mediaId} />
      {file?.thumbnail ? (
        <img src={file.thumbnail} alt={altText} width="120" loading="lazy" />
      ) : (
        <span class="no-picture">
          {file ? KINDS[file.kind] : mediaId ? "No longer stored" : KINDS.document}
        </span>
      )}
      <div class="about">
        <p class="muted" data-about>
          {file
            ? [file.name, `${KINDS[file.kind]}, ${sizeOf(file.sizeBytes)}`]
                .filter(Boolean)
                .join(" · ")
            : isFixed
              ? "This file is no longer stored."
              : "This file is no longer stored. Remove it, then add it again."}
        </p>
        <label for={`alt-${at}`}>What {name} shows, for people who cannot see it (alt text)</label>
        <textarea id={`alt-${at}`} name="altText" rows={1} dir="auto">
          {altText}
        </textarea>
        <label for={`part-${at}`} hidden={parts === 0}>
          Goes with
        </label>
        <select id={`part-${at}`} name="mediaPart" hidden={parts === 0}>
          {Array.from({ length: Math.max(parts, part) + 1 }, (_, i) => (
            <option value={String(i)} selected={i === part}>
              {i === 0 ? "the first post" : `post ${i + 1}`}
            </option>
          ))}
        </select>
        {!isFixed && (
          <div class="row">
            {[
              ["file-up", "Earlier", at === 0],
              ["file-down", "Later", at === count - 1],
              ["file-drop", "Remove", false],
            ].map(([action, words, isOff]) => (
              <button
                class="quiet"
                type="submit"
                name="do"
                value={`${action}-${at}`}
                disabled={isOff === true}
                aria-label={`${words}: ${name}`}
              >
                {words}
              </button>
            ))}
          </div>
        )}
      </div>
    </li>
  );
};

export const Files = ({ view }: { view: View }) => {
  const { media, thread } = view.content;
  const partOf = (at: number) => thread.findIndex((part) => part.media.includes(at)) + 1;
  return (
    <Section id="files" title="Files">
      <ul id="files-list">
        {media.map(({ mediaId, altText }, at) => (
          <FileItem
            mediaId={mediaId}
            altText={altText}
            part={partOf(at)}
            parts={thread.length}
            at={at}
            count={media.length}
            file={view.files.get(mediaId)}
            isFixed={view.upload !== null}
          />
        ))}
      </ul>
      {view.upload === null && <Adding view={view} />}
      <ErrorPlace view={view} control="mediaId" />
    </Section>
  );
};

const Adding = ({ view }: { view: View }) => {
  const { thumbnailMediaId } = view.content;
  return (
    <>
      <template id="file-template">
        <FileItem
          mediaId=""
          altText=""
          part={0}
          parts={0}
          at={0}
          count={1}
          file={undefined}
          isFixed={false}
        />
      </template>
      <input type="hidden" name="thumbnailMediaId" value={thumbnailMediaId ?? ""} />
      <div class="inputs">
        <div>
          <label for="photo">Add pictures, or a document</label>
          <input
            id="photo"
            type="file"
            name="photo"
            multiple
            aria-describedby="photo-hint photo-error"
          />
          <p class="hint" id="photo-hint">
            JPEG, PNG, WebP or GIF, PDF for LinkedIn; up to 100 MB together without script.
          </p>
          <ErrorPlace view={view} control="photo" />
        </div>
        <div>
          <label for="video">Add a video</label>
          <input
            id="video"
            type="file"
            name="video"
            accept="video/*"
            aria-describedby="video-error"
          />
          <ErrorPlace view={view} control="video" />
        </div>
        <div data-pool="never">
          <div data-for="youtube">
            <label for="thumbnail">Picture of the video (YouTube)</label>
            <input
              id="thumbnail"
              type="file"
              name="thumbnail"
              accept="image/*"
              aria-describedby="thumbnail-error"
            />
            <ErrorPlace view={view} control="thumbnail" />
            {thumbnailMediaId && (
              <p class="hint">A picture is chosen. Another one takes its place.</p>
            )}
          </div>
        </div>
      </div>
    </>
  );
};
