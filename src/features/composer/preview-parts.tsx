import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { publicOrigin } from "../../http/env.ts";
import type { PageEnv } from "../auth/signed-in.ts";
import type { previewPosts } from "../compose/changes.ts";
import { drawPost } from "../review/drawn.tsx";
import { idOf } from "./content.ts";
import { nameOfAccount, type ShownError } from "./view.ts";

type PreviewedPost = Awaited<ReturnType<typeof previewPosts>>["posts"][number];

interface Drawn {
  accountId: string;
  name: string;
  drawn: Child;
}

export async function drawAll(
  c: Context<PageEnv>,
  posts: readonly PreviewedPost[],
): Promise<Drawn[]> {
  const { ctx, deps } = c.var;
  const origin = publicOrigin(deps, c.req.url);
  return Promise.all(
    posts.map(async ({ account, ...post }, i) => {
      const { id: accountId, accountName, handle, profileImageUrl: picture, teamId } = account;
      const whole = {
        ...post,
        id: i + 1,
        teamId,
        status: "draft",
        accountName,
        handle,
        picture,
      } as const;
      return { accountId, name: nameOfAccount(account), drawn: await drawPost(ctx, whole, origin) };
    }),
  );
}

export const Previews = ({ drawn }: { drawn: readonly Drawn[] }) => (
  <>
    {drawn.map(({ accountId, name, drawn: post }) => (
      <li class="preview" data-account={accountId}>
        <h3>{name}</h3>
        {post}
      </li>
    ))}
  </>
);

/** For scripts, which show each beside its control. */
export const Refusals = ({ errors }: { errors: readonly ShownError[] }) => (
  <li id="refusals" hidden>
    {errors.map(({ control, accountId, message }) => (
      <p data-control={control === null ? "" : idOf(control)} data-account={accountId ?? ""}>
        {message}
      </p>
    ))}
  </li>
);
