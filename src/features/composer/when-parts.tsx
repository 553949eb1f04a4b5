import { Section } from "../dashboard/parts.tsx";
import type { When } from "../drafts/table.ts";
import { mayApprove, mayPublish } from "../posts/rules.ts";
import { WHENS } from "./content.ts";
import { attributesOf, ErrorPlace, Select } from "./control.tsx";
import type { View } from "./view.ts";

function wordsOf(view: View): Record<When, string> {
  const publishes = mayPublish(view.actor);
  return {
    now: publishes ? "Publish now" : "As soon as it is approved",
    at: publishes ? "At this time" : "At this time, once it is approved",
    pool: "In a free slot of a pool, at the accounts of that slot",
    draft: "Make a draft post for each account",
    approval: "Hold for approval",
    review: "Hold for approval, with a review link for a client",
  };
}

function isOffered(view: View, when: When): boolean {
  if (when === "pool") return view.pools.length > 0;
  return when !== "review" || mayApprove(view.actor);
}

export const WhenPart = ({ view }: { view: View }) => {
  const { kind, at, poolId } = view.content.when;
  const words = wordsOf(view);
  const [date = "", time = ""] = at.split("T");
  const zone = view.clock.zone ?? "UTC";
  return (
    <Section id="when" title="When">
      {view.upload === null && (
        <fieldset>
          <legend>What happens with it</legend>
          {WHENS.filter((when) => isOffered(view, when)).map((when) => (
            <label>
              <input type="radio" name="when" value={when} checked={when === kind} />
              {words[when]}
            </label>
          ))}
          <ErrorPlace view={view} control="when" />
        </fieldset>
      )}
      <div class="row" data-pool="never">
        <div>
          <label for="date">Date</label>
          <input type="date" {...attributesOf(view, "date", true)} value={date} />
        </div>
        <div>
          <label for="time">Time</label>
          <input type="time" {...attributesOf(view, "time", true)} value={time} />
        </div>
      </div>
      <p class="hint" id="date-hint" data-pool="never">
        In the <a href="/app/settings">workspace's zone</a>, <strong>{zone}</strong>. Drafts and
        held posts may have a date too.
      </p>
      <span id="time-hint" hidden>
        In the workspace's zone, {zone}.
      </span>
      <ErrorPlace view={view} control="date" />
      <ErrorPlace view={view} control="time" />
      <p class="hint" id="own-time" role="status" />
      {view.upload === null && view.pools.length > 0 && (
        <div data-pool="only">
          <label for="poolId">Pool</label>
          <Select
            attributes={attributesOf(view, "poolId", true)}
            chosen={String(poolId ?? "")}
            options={[
              ["", "Choose one"],
              ...view.pools.map(({ id, name }) => [String(id), name] as const),
            ]}
          />
          <ErrorPlace view={view} control="poolId" />
          <p class="hint" id="poolId-hint">
            A pool keeps the text, the title, the files, the thread, the first comment, and one
            value of each setting for all its accounts. Its slots say when and where. Texts of
            single platforms and a picture of the video are not kept.
          </p>
        </div>
      )}
    </Section>
  );
};
