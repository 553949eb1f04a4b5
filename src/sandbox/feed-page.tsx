import type { Platform } from "../core/platforms.ts";
import type { FeedMedia, FeedPost } from "./kit/store.ts";
import { SIMULATED_PLATFORMS } from "./registry.ts";

export const FEED_STYLES = `
.feed { display: grid; gap: 1.1rem; list-style: none; margin-bottom: 0; padding: 0; }
.thread {
  display: grid; gap: .7rem; list-style: none; margin: .7rem 0 0; padding: 0 0 0 .9rem;
  border-left: 3px solid var(--line);
}
.post header { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .7rem; }
.post h2 { font-size: 1.02rem; overflow-wrap: anywhere; min-width: 0; }
.post time { color: var(--muted); font-size: .88rem; }
.badge {
  font-size: .8rem; font-weight: 600; padding: .1rem .6rem; border-radius: 99rem;
  background: var(--accent-soft); color: var(--accent);
}
.badge.again { background: #fff0d6; color: #7a4700; }
@media (prefers-color-scheme: dark) { .badge.again { background: #402d0c; color: #ffce85; } }
.text { margin-top: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.comment {
  margin-top: .7rem; padding-left: .8rem; border-left: 3px solid var(--line);
  white-space: pre-wrap; overflow-wrap: anywhere;
}
.media { display: grid; gap: .5rem; margin-top: .9rem; grid-template-columns: 1fr; }
.media.many { grid-template-columns: 1fr 1fr; }
.media figure { margin: 0; min-width: 0; }
.media img {
  display: block; width: 100%; max-height: 26rem; object-fit: cover; border-radius: .7rem;
  border: 1px solid var(--line); background: var(--code);
}
.media video { display: block; width: 100%; max-height: 26rem; border-radius: .7rem; background: #000; }
.media.many img { aspect-ratio: 1; }
.media figcaption { font-size: .82rem; color: var(--muted); margin-top: .25rem; overflow-wrap: anywhere; }
details { margin-top: 1rem; border-top: 1px solid var(--line); padding-top: .7rem; }
summary { cursor: pointer; color: var(--muted); font-size: .92rem; }
dl { margin: .8rem 0 0; display: grid; gap: .7rem; }
dt { font-weight: 600; font-size: .88rem; }
dd { margin: .2rem 0 0; overflow-wrap: anywhere; }
.empty h2 { font-size: 1.2rem; }
.empty > * + * { margin-top: .9rem; }
`;

/** `2026-09-18T10:51:03.000Z` → `2026-09-18 10:51 UTC`. */
const toReadable = (iso: string): string => `${iso.slice(0, 16).replace("T", " ")} UTC`;

const toSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const addressOf = (query: Record<string, string | null>): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, value);
  return params.size > 0 ? `/sandbox?${params}` : "/sandbox";
};

type PlatformNames = ReadonlyMap<Platform, string>;

interface FilterProps {
  platform: string | null;
  accountId: string | null;
  names: PlatformNames;
}

const PlatformFilter = ({ platform: chosen, accountId, names }: FilterProps) => (
  <nav aria-label="Platforms">
    <ul class="chips">
      {[null, ...SIMULATED_PLATFORMS.map(({ platform }) => platform)].map((platform) => (
        <li>
          <a
            class="chip"
            href={addressOf({ platform, accountId })}
            aria-current={platform === chosen ? "page" : undefined}
          >
            {platform ? names.get(platform) : "All platforms"}
          </a>
        </li>
      ))}
    </ul>
  </nav>
);

const Preview = ({ item }: { item: FeedMedia }) => {
  const address = `/sandbox/media/${item.id}`;
  switch (item.kind) {
    case "image":
      return (
        <a href={address}>
          <img src={address} alt={item.alt || "Image without a description"} loading="lazy" />
        </a>
      );
    case "video":
      return (
        // biome-ignore lint/a11y/useMediaCaption: posts come without captions
        <video
          controls
          preload="metadata"
          src={address}
          aria-label={item.alt || "Video without a description"}
        />
      );
    case "document":
      return <a href={address}>Open the document</a>;
    default:
      return item.kind satisfies never;
  }
};

const Media = ({ item }: { item: FeedMedia }) => (
  <figure>
    <Preview item={item} />
    <figcaption dir="auto">
      {item.alt ? `${item.alt} · ` : ""}
      {item.mime}, {toSize(item.sizeBytes)}
    </figcaption>
  </figure>
);

const Field = ({ name, value }: { name: string; value: unknown }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <pre>{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
    </dd>
  </div>
);

interface Thread {
  post: FeedPost;
  replies: FeedPost[];
}

/** A reply whose post is on another page stands alone. */
export function threadsOf(posts: readonly FeedPost[]): Thread[] {
  const byId = new Map(posts.map((post) => [post.id, post]));
  const firstOf = (post: FeedPost): FeedPost => {
    let first = post;
    for (let i = 0; i < posts.length; i++) {
      const before = first.replyTo === null ? undefined : byId.get(first.replyTo);
      if (!before) break;
      first = before;
    }
    return first;
  };
  const threads = new Map<number, Thread>();
  for (const post of posts) {
    if (firstOf(post) === post) threads.set(post.id, { post, replies: [] });
  }
  for (const post of posts.toReversed()) {
    const first = firstOf(post);
    if (first !== post) threads.get(first.id)?.replies.push(post);
  }
  return [...threads.values()];
}

const Post = ({ post, names }: { post: FeedPost; names: PlatformNames }) => {
  const fields = JSON.parse(post.fieldsJson) as Record<string, unknown>;
  return (
    <article class="card post" id={`post-${post.id}`}>
      <header>
        <h2>
          <bdi>{post.author}</bdi>
        </h2>
        <span class="badge">{names.get(post.platform) ?? post.platform}</span>
        {post.received > 1 && (
          <span class="badge again">arrived {post.received} times, posted once</span>
        )}
        {post.replyTo !== null && <a href={`#post-${post.replyTo}`}>a reply</a>}
        <time datetime={post.createdAt}>{toReadable(post.createdAt)}</time>
      </header>
      {post.text && (
        <p class="text" dir="auto">
          {post.text}
        </p>
      )}
      {post.media.length > 0 && (
        <div class={post.media.length > 1 ? "media many" : "media"}>
          {post.media.map((item) => (
            <Media item={item} />
          ))}
        </div>
      )}
      {post.comments.map(({ author, text }) => (
        <p class="comment" dir="auto">
          <b>
            <bdi>{author}</bdi>
          </b>{" "}
          {text}
        </p>
      ))}
      <details>
        <summary>Everything the platform received</summary>
        <dl>
          {Object.entries(fields).map(([name, value]) => (
            <Field name={name} value={value} />
          ))}
          <Field name="Address on the platform" value={post.url} />
          <Field name="Account" value={post.accountId ?? "none"} />
          <Field name="Upload" value={String(post.uploadId ?? "none")} />
        </dl>
      </details>
    </article>
  );
};

const Empty = ({ origin, isFiltered }: { origin: string; isFiltered: boolean }) => (
  <section class="card empty">
    <h2>{isFiltered ? "No posts match" : "No posts yet"}</h2>
    {isFiltered ? (
      <p>
        Nothing has arrived here. <a href="/sandbox">Show every post</a>.
      </p>
    ) : (
      <>
        <p>
          Publish the first one. A sandbox account takes posts like a real one, and nothing leaves
          this service. Put your API token in place of <code>TOKEN</code>:
        </p>
        <pre tabindex={0}>{`curl ${origin}/api/v1/accounts \\
  -H "x-api-key: TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{"platform":"bluesky","sandbox":true}'`}</pre>
        <p>Then post to the account, with the id from the answer:</p>
        <pre tabindex={0}>{`curl ${origin}/api/v1/upload \\
  -H "x-api-key: TOKEN" \\
  -F accountId=ACCOUNT_ID \\
  -F description="Hello from the sandbox"`}</pre>
      </>
    )}
  </section>
);

interface FeedPageProps {
  posts: FeedPost[];
  names: PlatformNames;
  platform: string | null;
  accountId: string | null;
  olderThan: number | null;
  origin: string;
  hasReceiver: boolean;
}

export const FeedPage = (props: FeedPageProps) => {
  const { posts, names, platform, accountId, olderThan, origin, hasReceiver } = props;
  return (
    <>
      <header>
        <h1>Sandbox feed</h1>
        <p class="lead">
          Posts that the simulated platforms have received, newest first. These posts never left
          this service. <a href="/sandbox/api/posts">The same as JSON</a>
          {hasReceiver && (
            <>
              {" "}
              · <a href="/sandbox/webhook">Webhook receiver</a>
            </>
          )}
        </p>
      </header>
      <PlatformFilter platform={platform} accountId={accountId} names={names} />
      {accountId && (
        <p>
          Only posts of account <bdi>{accountId}</bdi>.{" "}
          <a href={addressOf({ platform })}>Show all accounts</a>
        </p>
      )}
      {posts.length === 0 ? (
        <Empty origin={origin} isFiltered={Boolean(platform ?? accountId)} />
      ) : (
        <ol class="feed">
          {threadsOf(posts).map(({ post, replies }) => (
            <li>
              <Post post={post} names={names} />
              {replies.length > 0 && (
                <ol class="thread" aria-label="Replies, in order">
                  {replies.map((reply) => (
                    <li>
                      <Post post={reply} names={names} />
                    </li>
                  ))}
                </ol>
              )}
            </li>
          ))}
        </ol>
      )}
      {olderThan !== null && (
        <p>
          <a class="chip" href={addressOf({ platform, accountId, before: String(olderThan) })}>
            Older posts
          </a>
        </p>
      )}
    </>
  );
};
