import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { type AppPage, renderAppPage } from "../../pages/app-layout.tsx";
import { type Clock, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { type PageEnv, viewerOf } from "../auth/signed-in.ts";
import type { UploadLine } from "./repo.ts";
import { adviceFor, wordsOfUpload } from "./words.ts";

export const renderOwnPage = (c: Context<PageEnv>, page: AppPage, content: Child) =>
  renderAppPage(c, viewerOf(c), page, content);

const SHOWN_CHARACTERS = 140;

export const cut = (text: string): string => {
  const characters = [...text];
  if (characters.length <= SHOWN_CHARACTERS) return text;
  return `${characters.slice(0, SHOWN_CHARACTERS).join("").trimEnd()}…`;
};

export const State = ({ text, tone }: { text: string; tone: string }) => (
  <span class={tone === "" ? "state" : `state ${tone}`}>{text}</span>
);

export interface Notice {
  text: string;
  isRefusal: boolean;
}

export const doneNotice = (
  notices: Record<string, string>,
  name: string | undefined,
): Notice | null => {
  const text = name !== undefined && Object.hasOwn(notices, name) ? notices[name] : undefined;
  return text === undefined ? null : { text, isRefusal: false };
};

export const NoticeLine = ({ notice }: { notice: Notice | null }) =>
  notice === null ? null : (
    <p
      class={notice.isRefusal ? "notice bad" : "notice"}
      role={notice.isRefusal ? "alert" : "status"}
    >
      {notice.text}
    </p>
  );

const Moment = ({ upload, clock }: { upload: UploadLine; clock: Clock }) => {
  const { uploadedAt, scheduledFor, createdAt } = upload;
  if (uploadedAt) return <Time at={uploadedAt} clock={clock} />;
  if (scheduledFor) return <Time at={scheduledFor} clock={clock} />;
  return (
    <>
      created <Time at={createdAt} clock={clock} />
    </>
  );
};

const UploadItem = ({ upload, clock }: { upload: UploadLine; clock: Clock }) => {
  const { id, status, failureCode, errorMessage } = upload;
  const isFailure = status === "failed" && failureCode !== null && failureCode !== "cancelled";
  return (
    <li>
      <div class="grow">
        <a href={`/app/uploads/${id}`}>{cut(upload.text) || `Post ${id}, without text`}</a>
        <p class="muted">
          {upload.accountName ?? "A removed account"} · {platformName(upload.platform)} ·{" "}
          <Moment upload={upload} clock={clock} />
        </p>
        {isFailure && (
          <p class="why">
            {cut(errorMessage ?? "")} <strong>{adviceFor(failureCode)}</strong>
          </p>
        )}
      </div>
      <State {...wordsOfUpload(upload)} />
    </li>
  );
};

export const UploadList = ({
  uploads,
  clock,
}: {
  uploads: readonly UploadLine[];
  clock: Clock;
}) => (
  <ul class="list">
    {uploads.map((upload) => (
      <UploadItem upload={upload} clock={clock} />
    ))}
  </ul>
);

export const Section = ({
  id,
  title,
  children,
}: {
  id: string;
  title: string;
  children?: Child;
}) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
);
