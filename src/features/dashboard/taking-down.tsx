import type { Actor } from "../../deps.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import { connectorOf } from "../../platforms/registry.ts";
import { mayUnpublish, whyImpossible } from "../unpublishing/rules.ts";
import { Button } from "./form-parts.tsx";
import type { WholeUpload } from "./repo.ts";

interface TakingDownProps {
  upload: WholeUpload;
  actor: Actor;
  clock: Clock;
}

export const TakingDown = ({ upload, actor, clock }: TakingDownProps) => {
  const { id, platform, status, metadata, unpublishedAt, unpublishStartedAt } = upload;
  if (unpublishedAt) {
    return (
      <p>
        Taken down on <Time at={unpublishedAt} clock={clock} />.
      </p>
    );
  }
  if (status !== "completed" || !metadata || !mayUnpublish(actor)) return null;
  const connector = connectorOf(platform);
  const { name, removal } = connector;
  if (!removal.calls) {
    return <p class="muted">{`${whyImpossible(connector)} ${removal.byHand}`}</p>;
  }
  return (
    <>
      {unpublishStartedAt && (
        <p>
          Taking down was begun on <Time at={unpublishStartedAt} clock={clock} /> and is not
          confirmed. Take the post down again.
        </p>
      )}
      <div class="row actions">
        <details>
          <summary>Take down…</summary>
          <TeamForm action={`/app/uploads/${id}/unpublish`}>
            <p>
              The post is deleted on {name}, with its comments and figures. Nothing brings it back.
            </p>
            <Button tone="danger">Take down</Button>
          </TeamForm>
        </details>
      </div>
    </>
  );
};
