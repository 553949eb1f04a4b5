import { plainMentions } from "../../core/mentions.ts";
import type { Deps } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { describePost } from "./likeness.ts";
import { shotsOf } from "./media-parts.tsx";
import { Mock, type MockedPost } from "./mock-parts.tsx";
import type { ReviewPost } from "./repo/posts.ts";

export { MOCK_STYLES } from "./styles.ts";

export type DrawnPost = MockedPost &
  Pick<
    ReviewPost,
    "teamId" | "title" | "description" | "settings" | "media" | "parts" | "files" | "status"
  >;

/** The posts of a thread, each as a post of its own. */
function postsOf(whole: DrawnPost): DrawnPost[] {
  const { textField } = connectorOf(whole.platform).capabilities;
  const following = (whole.parts ?? []).filter(({ kind }) => kind === "post");
  return [
    whole,
    ...following.map((part) => ({
      ...whole,
      title: null,
      description: null,
      [textField]: part.text,
      media: part.media.flatMap((at) => {
        const { role: _, ...ref } = whole.media[at] ?? { url: "" };
        return "sha256" in ref ? [ref] : [];
      }),
    })),
  ];
}

/** The post as it will look, about, with what follows it. */
export async function drawPost(deps: Deps, post: DrawnPost, origin: string) {
  const posts = await Promise.all(
    postsOf(post).map(async (one) => {
      const shown = await describePost(one);
      return { one, shown, shots: await shotsOf(deps, one, shown) };
    }),
  );
  const comment = post.parts?.find(({ kind }) => kind === "comment")?.text;
  const unpublished = posts[0]?.shown.unpublished ?? [];
  return (
    <>
      {posts.map(({ one, shown, shots }) => (
        <Mock post={one} shown={shown} shots={shots} origin={origin} loads={true} isFirst={false} />
      ))}
      {comment !== undefined && (
        <p class="text leads">
          First comment: <bdi>{plainMentions(comment)}</bdi>
        </p>
      )}
      {unpublished.length > 0 && (
        <dl>
          {unpublished.map(({ label, text }) => (
            <>
              <dt>{label}</dt>
              <dd class="text">{text}</dd>
            </>
          ))}
        </dl>
      )}
    </>
  );
}
