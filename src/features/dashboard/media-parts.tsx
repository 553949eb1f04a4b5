import { formatBytes } from "../../core/counts.ts";
import type { Deps } from "../../deps.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import type { MediaKind } from "../../platforms/connector.ts";
import { expiryOf, type FileWithUses, nameOf } from "../library/service.ts";
import { mediaPath } from "../media/files.ts";
import { Button } from "./form-parts.tsx";

export const KIND_WORDS: Record<MediaKind, string> = {
  image: "Image",
  video: "Video",
  document: "Document",
};

export const FILE_STYLES = `
.media { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13.5rem), 1fr)); gap: 1rem; list-style: none; padding: 0; margin-bottom: 0; }
.media > li { display: flex; flex-direction: column; gap: .5rem; min-width: 0; padding: .6rem; border: 1px solid var(--line); border-radius: .8rem; }
.shot { position: relative; display: grid; place-items: center; aspect-ratio: 4 / 3; overflow: hidden; border-radius: .5rem; background: var(--code); color: var(--muted); }
.shot + .name { display: block; margin-top: .5rem; }
.shot img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
.name { overflow-wrap: anywhere; font-weight: 600; }
.media .row { margin-top: auto; flex-wrap: wrap; }
.media :is(button, .button) { padding-inline: .7rem; }
.whole { display: block; max-width: 100%; max-height: 75vh; height: auto; border-radius: .6rem; background: var(--code); }
.address { user-select: all; }
.removal { margin-bottom: .6rem; }
`;

export interface FileView {
  mediaId: string;
  name: string;
  kind: MediaKind;
  mime: string;
  facts: string;
  posts: number;
  isKept: boolean;
  expiresAt: Date | null;
  thumbnail: string | null;
}

export const fileAddress = (mediaId: string): string => `/app/media/${mediaId}`;

export async function toView(
  deps: Pick<Deps, "config" | "now">,
  file: FileWithUses["file"],
): Promise<FileView> {
  const { teamId, sha256, kind, mime, sizeBytes, width, height, keptAt, uses } = file;
  const size = width && height ? [`${width} × ${height}`] : [];
  return {
    mediaId: sha256,
    name: nameOf(file) ?? "A file without a name",
    kind,
    mime,
    facts: [KIND_WORDS[kind], formatBytes(sizeBytes), ...size].join(" · "),
    posts: uses[0],
    isKept: keptAt !== null,
    expiresAt: expiryOf(file),
    thumbnail: kind === "image" ? await mediaPath(deps, teamId, sha256, "thumbnail") : null,
  };
}

export const Lifetime = ({ file, clock }: { file: FileView; clock: Clock }) => {
  if (file.isKept) return <>kept until you remove it</>;
  if (file.expiresAt === null) return <>stays while a post or pool needs it</>;
  return (
    <>
      stays until <Time at={file.expiresAt} clock={clock} />
    </>
  );
};

export const UseLink = ({ file }: { file: FileView }) => (
  <a class="button quiet" href={`/app/compose?mediaId=${file.mediaId}`}>
    Use in a post<span class="hidden">: {file.name}</span>
  </a>
);

interface FormProps {
  file: FileView;
  /** Where the person goes on afterwards. */
  back: string;
}

export const KeepForm = ({ file, back }: FormProps) => (
  <TeamForm action={`${fileAddress(file.mediaId)}/keep`}>
    <input type="hidden" name="keep" value={String(!file.isKept)} />
    <input type="hidden" name="back" value={back} />
    <Button tone="quiet">
      {file.isKept ? "Stop keeping" : "Keep"}
      <span class="hidden"> {file.name}</span>
    </Button>
  </TeamForm>
);

export const RemoveForm = ({ file, back }: FormProps) => (
  <TeamForm action={`${fileAddress(file.mediaId)}/remove`}>
    <input type="hidden" name="back" value={back} />
    <p class="removal">Posts that are out stay as they are. The file is gone for good.</p>
    <Button tone="danger">
      Remove the file<span class="hidden"> {file.name}</span>
    </Button>
  </TeamForm>
);
