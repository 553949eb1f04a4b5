import type { Actor } from "../../deps.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import { connectorOf } from "../../platforms/registry.ts";
import { correctionObstacle, correctionRefusal } from "../posts/rules.ts";
import { Button, Field } from "./form-parts.tsx";
import type { WholeUpload } from "./repo.ts";

interface CorrectingProps {
  upload: WholeUpload;
  actor: Actor;
  clock: Clock;
}

const LABELS = { title: "Title", description: "Text" } as const;

export const Correcting = ({ upload, actor, clock }: CorrectingProps) => {
  const { id, platform, status, correction } = upload;
  const connector = connectorOf(platform);
  const refusal = correctionObstacle(connector, upload) ?? correctionRefusal(actor, upload);
  if (status !== "completed" || refusal) return null;
  const { name, correction: way } = connector;
  return (
    <>
      {correction && (
        <p>
          An edit of the text was begun on{" "}
          <Time at={new Date(correction.startedAt)} clock={clock} /> and is not confirmed. Send it
          again.
        </p>
      )}
      <details>
        <summary>Edit the text…</summary>
        <TeamForm action={`/app/uploads/${id}/edit`}>
          <p>The text is changed on {name} too.</p>
          {way.fields.map((field) => (
            <Field id={field} label={LABELS[field]}>
              <textarea id={field} name={field} rows={4}>
                {(correction ?? upload)[field]}
              </textarea>
            </Field>
          ))}
          <Button>Change the text</Button>
        </TeamForm>
      </details>
    </>
  );
};
