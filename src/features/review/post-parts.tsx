import type { Child } from "hono/jsx";
import { plainMentions } from "../../core/mentions.ts";
import type { Deps } from "../../deps.ts";
import { Fact } from "../../pages/fact.tsx";
import { type Clock, clockOf } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { partName } from "../posts/parts.ts";
import { isAwaiting, type ShownPost } from "./find.ts";
import { describePost, type Shown } from "./likeness.ts";
import { type SideFile, shotsOf, sideFilesOf } from "./media-parts.tsx";
import { accountOf, Mock } from "./mock-parts.tsx";
import { MAX_NOTE_CHARACTERS } from "./rules.ts";

export interface PostNotice {
  text: string;
  isRefusal: boolean;
  /** A refused note, which stays in its field. */
  note?: string;
}

export interface Scene {
  clock: Clock;
  now: Date;
  origin: string;
  path: string;
  /** A form field against forged requests. */
  proof: string;
}

interface State {
  text: string;
  tone: "good" | "bad" | "wait" | "";
  detail: Child;
}

export function stateOf(post: ShownPost): State {
  const { status, failureCode, deletedAt, reviewComment } = post;
  if (deletedAt !== null) {
    return { text: "Removed", tone: "", detail: "The team has removed this post." };
  }
  switch (status) {
    case "pending_approval":
      return { text: "Waits for you", tone: "wait", detail: null };
    case "draft":
      return reviewComment
        ? {
            text: "Changes asked for",
            tone: "wait",
            detail: "The team has the note, and works on the post.",
          }
        : {
            text: "Back in work",
            tone: "",
            detail: "The team has taken this post back to work on it.",
          };
    case "completed":
      return { text: "Published", tone: "good", detail: "This post is approved, and is out." };
    case "failed":
      return failureCode === "cancelled"
        ? {
            text: "Cancelled",
            tone: "",
            detail: "The team has cancelled this post: it does not go out.",
          }
        : {
            text: "Approved",
            tone: "good",
            detail:
              "This post is approved. It could not be published yet, and the team knows of it.",
          };
    case "scheduled":
    case "pending":
    case "processing":
      return { text: "Approved", tone: "good", detail: "This post is approved." };
    default:
      return status satisfies never;
  }
}

const UTC = clockOf(null);

/** Shows a time in the team's zone and UTC; a script adds the reader's own. */
const Instant = ({ at, clock }: { at: Date; clock: Clock }) => {
  const iso = at.toISOString();
  return (
    <>
      {clock.zone !== null && (
        <time datetime={iso}>
          {clock.local(at)} ({clock.zone})
        </time>
      )}
      <time datetime={iso}>{UTC.local(at)} UTC</time>
      <span class="own" data-at={iso} data-zone={clock.zone ?? "UTC"} />
    </>
  );
};

const Planned = ({ post, scene: { clock, now } }: { post: ShownPost; scene: Scene }) => {
  const { scheduledFor, uploadedAt, status } = post;
  if (uploadedAt !== null) {
    return (
      <Fact name="Went out">
        <Instant at={uploadedAt} clock={clock} />
      </Fact>
    );
  }
  if (scheduledFor === null && status === "draft") return null;
  const isWaiting = isAwaiting(post);
  return (
    <Fact name="Goes out">
      {scheduledFor === null
        ? `As soon as ${isWaiting ? "it is approved" : "possible"}`
        : [
            isWaiting && scheduledFor <= now && (
              <span>This time has passed: it goes out as soon as it is approved.</span>
            ),
            <Instant at={scheduledFor} clock={clock} />,
          ]}
    </Fact>
  );
};

const Side = ({ side: { address, text, picture, altText } }: { side: SideFile }) => (
  <>
    {address === null ? (
      text
    ) : (
      <a href={address} target="_blank" rel="noopener noreferrer">
        {picture === null ? text : <img src={picture} alt={altText ?? text} loading="lazy" />}
      </a>
    )}
    {altText !== null && (
      <span class="alt" dir="auto">
        Alternative text: {altText}
      </span>
    )}
  </>
);

interface FactsProps {
  post: ShownPost;
  shown: Shown;
  sides: readonly SideFile[];
  scene: Scene;
}

const Facts = ({ post, shown, sides, scene }: FactsProps) => {
  const { handle } = post;
  const account = accountOf(post);
  const texts = [
    ...(post.parts ?? []).map((part, i) => ({
      label: partName(part, i + 1),
      text: plainMentions(part.text),
    })),
    ...shown.unpublished,
    ...shown.settings.map(({ label, value }) => ({ label, text: value })),
  ];
  return (
    <dl class="facts">
      <Fact name="Account">
        <bdi>{account}</bdi>
        {handle && handle !== account && (
          <>
            {" "}
            (<bdi>{handle}</bdi>)
          </>
        )}
      </Fact>
      <Planned post={post} scene={scene} />
      {texts.map(({ label, text }) => (
        <>
          <dt>{label}</dt>
          <dd class="text" dir="auto">
            {text}
          </dd>
        </>
      ))}
      {sides.map((side) => (
        <Fact name={side.label}>
          <Side side={side} />
        </Fact>
      ))}
    </dl>
  );
};

const Hidden = ({ fields }: { fields: Record<string, string> }) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

const Decide = ({
  post: { id, seen },
  at,
  scene: { path, proof },
  note,
}: {
  post: ShownPost;
  at: number;
  scene: Scene;
  note: string | undefined;
}) => {
  const fields = { proof, post: String(id), seen };
  const name = <span class="hidden"> for post {at}</span>;
  return (
    <div class="decide">
      <form method="post" action={path}>
        <Hidden fields={{ ...fields, decision: "approve" }} />
        <button class="go" type="submit">
          Approve<span class="hidden"> post {at}</span>
        </button>
      </form>
      <details open={note !== undefined}>
        <summary>Ask for changes{name}</summary>
        <form method="post" action={path}>
          <Hidden fields={{ ...fields, decision: "changes" }} />
          <label for={`note-${id}`}>Your note to the team{name}</label>
          <textarea
            id={`note-${id}`}
            name="comment"
            required
            maxlength={MAX_NOTE_CHARACTERS}
            dir="auto"
            aria-describedby={`note-${id}-hint`}
          >
            {note ?? ""}
          </textarea>
          <p class="hint" id={`note-${id}-hint`}>
            Up to {MAX_NOTE_CHARACTERS.toLocaleString("en")} characters. The post goes back to the
            team with it.
          </p>
          <button class="quiet" type="submit">
            Send the note{name}
          </button>
        </form>
      </details>
    </div>
  );
};

export async function likenessOf(deps: Deps, post: ShownPost) {
  const shown = await describePost(post);
  const [shots, sides] = await Promise.all([shotsOf(deps, post, shown), sideFilesOf(deps, post)]);
  return { shown, shots, sides };
}

interface PostProps {
  post: ShownPost;
  /** The post's place on the page, from 1. */
  at: number;
  count: number;
  likeness: Awaited<ReturnType<typeof likenessOf>> | null;
  loads: boolean;
  scene: Scene;
  notice: PostNotice | undefined;
}

export const Post = ({ post, at, count, likeness, loads, scene, notice }: PostProps) => {
  const { id, deletedAt, reviewComment, status } = post;
  const { text, tone, detail } = stateOf(post);
  const title = `${count === 1 ? "Post" : `Post ${at} of ${count}`} · ${platformName(post.platform)}`;
  return (
    <li class="card post" id={`post-${id}`}>
      <header>
        <h2>{title}</h2>
        <span class={tone === "" ? "state" : `state ${tone}`}>{text}</span>
      </header>
      {likeness && (
        <Mock
          post={post}
          shown={likeness.shown}
          shots={likeness.shots}
          origin={scene.origin}
          loads={loads}
          isFirst={at === 1}
        />
      )}
      <div class="side">
        {notice && (
          <p
            class={notice.isRefusal ? "notice bad" : "notice"}
            role={notice.isRefusal ? undefined : "status"}
          >
            {notice.text}
          </p>
        )}
        {detail && <p>{detail}</p>}
        {deletedAt === null && status === "draft" && reviewComment && (
          <div class="said">
            <p class="muted">The note</p>
            <p class="text" dir="auto">
              {reviewComment}
            </p>
          </div>
        )}
        {likeness && (
          <Facts post={post} shown={likeness.shown} sides={likeness.sides} scene={scene} />
        )}
        {isAwaiting(post) && <Decide post={post} at={at} scene={scene} note={notice?.note} />}
      </div>
    </li>
  );
};
