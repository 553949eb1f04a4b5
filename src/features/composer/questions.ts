import { coversScope } from "../../core/scopes.ts";
import type { Actor } from "../../deps.ts";
import type { DraftContent } from "../drafts/table.ts";
import { plannedAt } from "./to-post.ts";
import type { ShownAccount, ShownError } from "./view.ts";

const ask = (control: string, message: string, accountId: string | null = null): ShownError => ({
  control,
  accountId,
  message,
});

/** Questions that platforms want answered by the person, without a default. */
function ofPlatforms({ fields }: DraftContent, chosen: readonly ShownAccount[]): ShownError[] {
  return chosen.flatMap(({ id, platform }) => {
    const value = (name: string) => fields[`${id}.${name}`];
    if (platform === "youtube") {
      return fields.selfDeclaredMadeForKids === undefined
        ? [ask("selfDeclaredMadeForKids", "Say whether the video is made for kids.", id)]
        : [];
    }
    if (platform !== "tiktok") return [];
    const names = ["brand_organic_toggle", "brand_content_toggle"];
    const isUnsaid = value("discloses") === "true" && names.every((name) => value(name) !== "true");
    return [
      ...(value("privacy_level") === undefined
        ? [ask(`${id}.privacy_level`, "Choose who can see the post.", id)]
        : []),
      ...(isUnsaid
        ? [
            ask(
              `${id}.discloses`,
              "You need to indicate if your content promotes yourself, a third party, or both.",
              id,
            ),
          ]
        : []),
    ];
  });
}

function ofAccounts({ accountIds }: DraftContent, chosen: readonly ShownAccount[]): ShownError[] {
  if (accountIds.length === 0) return [ask("accountId", "Choose an account.")];
  if (chosen.length === accountIds.length) return [];
  return [
    ask(
      "accountId",
      "An account that you chose was removed. Look at the accounts again, then send the post to those that are left.",
    ),
  ];
}

function ofDate({ when }: DraftContent, zone: string | null): ShownError[] {
  const at = plannedAt(when, zone);
  if (at !== null || when.kind === "pool" || when.kind === "now") return [];
  if (when.kind !== "at" && when.at === "") return [];
  const [date = "", time = ""] = when.at.split("T");
  return [
    ...(date === "" || time !== "" ? [ask("date", "Choose the date.")] : []),
    ...(time === "" ? [ask("time", "Choose the time.")] : []),
  ];
}

/** What the form leaves open. */
export function openQuestions(
  content: DraftContent,
  chosen: readonly ShownAccount[],
  { actor, zone }: { actor: Actor; zone: string | null },
): ShownError[] {
  const { kind, poolId } = content.when;
  const mayReview = actor.role !== "MEMBER" && coversScope(actor.scopes, "posts:publish");
  return [
    ...(kind === "pool" ? [] : ofAccounts(content, chosen)),
    ...ofDate(content, zone),
    ...(kind === "pool" && poolId === null ? [ask("poolId", "Choose the pool.")] : []),
    ...(kind === "review" && !mayReview
      ? [ask("when", "Only the owner and admins make review links. Hold the post for approval.")]
      : []),
    ...ofPlatforms(content, kind === "pool" ? [] : chosen),
  ];
}
