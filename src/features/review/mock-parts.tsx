import type { Child } from "hono/jsx";
import { platformName } from "../../platforms/registry.ts";
import { cutLines, type Shown } from "./likeness.ts";
import { Shots, type shotsOf } from "./media-parts.tsx";
import type { ReviewPost } from "./repo/posts.ts";

export type MockedPost = Pick<ReviewPost, "id" | "platform" | "accountName" | "handle" | "picture">;

const first = (text: string): string => [...text.replace(/^@/, "").trim()][0]?.toUpperCase() ?? "?";

/** Shows only a picture that this instance stores. */
const Face = ({ post, origin }: { post: MockedPost; origin: string }) => {
  const { picture, accountName } = post;
  if (picture && URL.parse(picture)?.origin === origin) {
    return <img class="face" src={picture} alt="" width="40" height="40" />;
  }
  return (
    <span class="face" aria-hidden="true">
      {first(accountName ?? "")}
    </span>
  );
};

export const accountOf = ({ accountName }: MockedPost): string =>
  accountName ?? "An account that was removed";

const By = ({ post, origin }: { post: MockedPost; origin: string }) => {
  const { handle } = post;
  return (
    <div class="by">
      <Face post={post} origin={origin} />
      <span class="names">
        <strong>
          <bdi>{accountOf(post)}</bdi>
        </strong>
        {handle && handle !== post.accountName && <bdi>{handle}</bdi>}
      </span>
    </div>
  );
};

const LINKED = /((?:#|(?<![\p{L}\p{N}.])@)[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.]*|https?:\/\/\S+)/u;
/** Longer texts get no coloured hashtags. */
const MAX_LINKED = 5_000;

const linked = (text: string): Child =>
  text.length > MAX_LINKED
    ? text
    : text.split(LINKED).map((part, i) => (i % 2 ? <span class="tag">{part}</span> : part));

const Caption = ({ shown }: { shown: Shown }) => {
  const { heading, text } = shown;
  if (heading === null && text === "") return null;
  const lines = cutLines(shown);
  return (
    <div class="caption">
      {heading !== null && (
        <h3 dir="auto">
          <bdi>{heading}</bdi>
        </h3>
      )}
      {text !== "" && (
        <p class={lines === null ? "text" : `text cut l${lines}`} dir="auto">
          {linked(text)}
        </p>
      )}
      {lines !== null && (
        <details>
          <summary>
            <span class="more">Show the whole text</span>
            <span class="less">Show less</span>
          </summary>
        </details>
      )}
    </div>
  );
};

const Poll = ({ shown: { poll } }: { shown: Shown }) =>
  poll.length === 0 ? null : (
    <ul class="poll" aria-label="Poll">
      {poll.map((option) => (
        <li>
          <bdi>{option}</bdi>
        </li>
      ))}
    </ul>
  );

/** Shows an address without a link, so that the client stays on the page. */
const LeadsTo = ({ shown: { preview } }: { shown: Shown }) =>
  preview === null ? null : (
    <p class="leads">
      Link preview: <bdi>{preview}</bdi>
    </p>
  );

interface MockProps {
  post: MockedPost;
  shown: Shown;
  shots: Awaited<ReturnType<typeof shotsOf>>;
  origin: string;
  loads: boolean;
  isFirst: boolean;
}

export const Mock = ({ post, shown, shots, origin, loads, isFirst }: MockProps) => {
  const { layout } = shown;
  const files = <Shots id={post.id} shown={shown} shots={shots} loads={loads} isFirst={isFirst} />;
  const by = <By post={post} origin={origin} />;
  const isByFirst = layout === "feed" || layout === "gallery";
  const isCaptionFirst = layout === "watch" || layout === "pin";
  return (
    <figure
      class={`mock ${layout}`}
      aria-label={`The post as it will look on ${platformName(post.platform)}, about`}
    >
      {isByFirst && by}
      {layout === "feed" && <Caption shown={shown} />}
      {files}
      {!isByFirst && !isCaptionFirst && by}
      {layout !== "feed" && <Caption shown={shown} />}
      {isCaptionFirst && by}
      <Poll shown={shown} />
      <LeadsTo shown={shown} />
    </figure>
  );
};
