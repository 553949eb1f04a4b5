import { TeamForm } from "../../pages/team-form.tsx";
import { downloadOf } from "../content/files.ts";
import { Field, SubmitLine } from "./form-parts.tsx";
import type { WholeUpload } from "./repo.ts";

export interface ApprovalView {
  mayApprove: boolean;
  /** Of the person who looks at it. */
  isOwn: boolean;
  seen: string;
  comment: string;
}

/** Equals `MAX_COMMENT_CHARACTERS`, which pages do not load. */
const MAX_COMMENT = 2_000;

export const Approval = ({ upload, view }: { upload: WholeUpload; view: ApprovalView }) => {
  const { id, status } = upload;
  if (status !== "draft" && status !== "pending_approval") return null;
  const { mayApprove, isOwn, seen, comment } = view;
  const isHeld = status === "pending_approval";
  const download = downloadOf(upload);
  return (
    <>
      {download && <p>{download.message}</p>}
      {isHeld && !mayApprove && (
        <p class="muted">An owner or admin of the team approves the post, or asks for changes.</p>
      )}
      <div class="row actions">
        {mayApprove && !download && (
          <TeamForm action={`/app/uploads/${id}/approve?seen=${seen}`}>
            <button type="submit">
              {!isOwn ? "Approve" : upload.scheduledFor ? "Schedule" : "Publish now"}
            </button>
          </TeamForm>
        )}
        {(!isHeld || download?.state === "failed") && (
          <TeamForm action={`/app/uploads/${id}/submit`}>
            <button class={mayApprove ? "quiet" : undefined} type="submit">
              {isHeld ? "Submit again" : "Submit for approval"}
            </button>
          </TeamForm>
        )}
        {mayApprove && isHeld && (
          <details open={comment !== ""}>
            <summary>Request changes…</summary>
            <TeamForm class="fields" action={`/app/uploads/${id}/request-changes?seen=${seen}`}>
              <Field id="comment" label="Changes that are wanted">
                <textarea id="comment" name="comment" rows={4} maxlength={MAX_COMMENT} required>
                  {comment}
                </textarea>
                <p class="muted">The post becomes a draft again, and its author reads this.</p>
              </Field>
              <SubmitLine>Send back</SubmitLine>
            </TeamForm>
          </details>
        )}
      </div>
    </>
  );
};
