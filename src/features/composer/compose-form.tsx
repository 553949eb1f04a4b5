import type { Child } from "hono/jsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { cut, NoticeLine, Section } from "../dashboard/parts.tsx";
import { DRAFT_DAYS } from "../drafts/rules.ts";
import { mayPublish } from "../posts/rules.ts";
import { fileRoutes } from "../presign/rules.ts";
import { Accounts } from "./account-parts.tsx";
import { idOf } from "./content.ts";
import { platformFacts } from "./facts.ts";
import { Files } from "./file-parts.tsx";
import { Settings } from "./setting-parts.tsx";
import { Texts, Thread } from "./text-parts.tsx";
import { nameOfAccount, platformsOf, type View } from "./view.ts";
import { WhenPart } from "./when-parts.tsx";

export const ComposeForm = ({ view, previews }: { view: View; previews: Child }) => {
  const { upload, draft, clock } = view;
  return (
    <>
      <NoticeLine notice={view.notice} />
      <Summary view={view} />
      {upload && (
        <p>
          <a href={`/app/uploads/${upload.id}`}>Post {upload.id}</a> of {upload.accountName} on{" "}
          {platformName(upload.platform)}. Its account, files and settings stay as they are.
        </p>
      )}
      {!upload && !draft && view.drafts.length > 0 && (
        <p>
          <a href="#drafts">Go on with a draft</a>
        </p>
      )}
      <TeamForm
        action={draft ? `/app/compose?draft=${draft.id}` : "/app/compose"}
        id="compose"
        enctype="multipart/form-data"
      >
        <div
          id="compose-data"
          hidden
          data-zone={clock.zone ?? "UTC"}
          data-mode={upload ? "edit" : "new"}
          data-platforms={JSON.stringify(platformFacts(platformsOf(view)))}
          data-routes={JSON.stringify(fileRoutes())}
        />
        <input type="hidden" name="draft" value={String(draft?.id ?? "")} />
        <input type="hidden" name="version" value={String(draft?.version ?? "")} />
        <input type="hidden" name="key" value={view.key} />
        {upload && <input type="hidden" name="upload" value={String(upload.id)} />}
        <button class="hidden" type="submit" name="do" value="preview" tabindex={-1}>
          Preview
        </button>
        {!upload && <Accounts view={view} />}
        <Texts view={view} />
        <Files view={view} />
        <Thread view={view} />
        {!upload && view.accounts.length > 0 && <Settings view={view} />}
        <WhenPart view={view} />
        {!upload && (
          <Section id="previews" title="Preview">
            <p class="muted">How the post of each chosen account will look.</p>
            <ul id="previews-list">{previews}</ul>
            <p>
              <button class="quiet" type="submit" name="do" value="preview">
                Show the preview
              </button>
            </p>
          </Section>
        )}
        <Send view={view} />
      </TeamForm>
      {!upload && <Drafts view={view} />}
    </>
  );
};

/** Places that no control alone stands for. */
const PLACES: Record<string, string> = {
  accountId: "accounts",
  thread: "thread",
  mediaId: "files",
};

const anchorOf = ({ control, accountId }: View["errors"][number]): string | null =>
  control !== null ? (PLACES[control] ?? idOf(control)) : accountId && `account-${accountId}`;

const Summary = ({ view }: { view: View }) => {
  const { errors, accounts } = view;
  if (errors.length === 0) return null;
  return (
    <div class="notice bad" id="summary" role="alert">
      <p>
        {view.isPreview ? (
          "As it is now, the post would be refused:"
        ) : (
          <>
            <strong>Nothing was sent.</strong> What you wrote is still here.
          </>
        )}
      </p>
      <ul>
        {errors.map((error) => {
          const account = accounts.find(({ id }) => id === error.accountId);
          const anchor = anchorOf(error);
          const text = `${account ? `${nameOfAccount(account)}: ` : ""}${error.message}`;
          return <li>{anchor ? <a href={`#${anchor}`}>{text}</a> : text}</li>;
        })}
      </ul>
    </div>
  );
};

const Send = ({ view }: { view: View }) => {
  const { upload, acceptedCount, isConflict } = view;
  const isHeld = !mayPublish(view.actor);
  return (
    <Section id="send" title={upload ? "Save" : "Send"}>
      {isHeld && (
        <p>Your posts are held for approval: an owner or admin of the team reads them first.</p>
      )}
      <div class="row">
        <button type="submit" name="do" value="send">
          {upload ? "Save the changes" : isHeld ? "Send for approval" : "Publish or schedule"}
        </button>
        {acceptedCount > 0 && (
          <button class="quiet" type="submit" name="do" value="send-accepted">
            {acceptedCount === 1
              ? "Send to the 1 account that can take it"
              : `Send to the ${acceptedCount} accounts that can take it`}
          </button>
        )}
        {!upload && (
          <button class="quiet" type="submit" name="do" value={isConflict ? "copy" : "save"}>
            {isConflict ? "Save mine as a new draft" : "Keep as a draft"}
          </button>
        )}
      </div>
      <p id="saved" role="status" class="hint" />
    </Section>
  );
};

const Drafts = ({ view: { drafts, clock, draft: open } }: { view: View }) => (
  <Section id="drafts" title="Drafts">
    <p class="muted">
      What is kept here is not sent. A draft that is not saved for {DRAFT_DAYS} days is removed.
    </p>
    {drafts.length > 0 && (
      <ul class="list">
        {drafts.map(({ id, text, accounts, files, updatedByName, updatedAt }) => (
          <li>
            <div class="grow">
              <a
                href={`/app/compose?draft=${id}`}
                aria-current={id === open?.id ? "true" : undefined}
              >
                {cut(text) || `Draft ${id}, without text`}
              </a>
              <p class="muted">
                {accounts === 1 ? "1 account" : `${accounts} accounts`},{" "}
                {files === 1 ? "1 file" : `${files} files`} · saved by{" "}
                {updatedByName ?? "a former member"}, <Time at={updatedAt} clock={clock} />
              </p>
            </div>
            <TeamForm action={`/app/compose/drafts/${id}/delete`}>
              <button class="quiet" type="submit">
                Remove<span class="hidden"> draft {id}</span>
              </button>
            </TeamForm>
          </li>
        ))}
      </ul>
    )}
  </Section>
);
