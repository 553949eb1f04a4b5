import { type Context, Hono } from "hono";
import { plural } from "../../core/counts.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { listAccounts } from "../accounts/service.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { MAPPED_FIELDS } from "../importing/dialects.ts";
import type { ImportOutcome, ImportRequest, ImportRow } from "../importing/service.ts";
import { Choice, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { cut, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { STATUS_WORDS } from "./words.ts";

export const importPage = new Hono<PageEnv>();

const PATH = "/app/import";
const MAX_PAGE_BYTES = 5_200_000;

const STYLES = `
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .6rem; }
.columns select { width: 100%; }
`;

/** Of posts that are not made yet. */
const WORDS_BEFORE: Partial<Record<UploadStatus, { text: string; tone: "warn" }>> = {
  pending: { text: "Goes out at once", tone: "warn" },
};

/** What the person has sent, with the sheet as text. */
interface Sent {
  text: string;
  account: string;
  timezone: string;
  mapping: Record<string, string>;
  isDryRun: boolean;
}

const NOTHING: Sent = { text: "", account: "", timezone: "", mapping: {}, isDryRun: true };

importPage.get(PATH, signedIn("read:pages"), (c) =>
  show(c, { sent: NOTHING, header: [], outcome: null, notice: null, status: 200 }),
);

importPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(
    c,
    "The sheet is larger than 5 MB. Split it: one import takes 500 posts.",
    MAX_PAGE_BYTES,
  );
  const { importPosts } = await import("../importing/service.ts");
  let sent = NOTHING;
  let header: readonly string[] = [];
  let outcome: ImportOutcome | null = null;
  const refused = await attempt(async () => {
    sent = await readSent(form);
    const { readSheet } = await import("../importing/sheet.ts");
    ({ header } = readSheet(sent.text));
    outcome = await importPosts(
      c.var.ctx,
      await toRequest(sent, publicOrigin(c.var.ctx, c.req.url)),
    );
  });
  const shown = refused ?? { notice: outcome && noticeOf(outcome, sent), status: 200 };
  return show(c, { sent, header, outcome, ...shown });
});

async function readSent(form: FormData): Promise<Sent> {
  const file = form.get("file");
  const { decodeSheet } = await import("../importing/sheet.ts");
  const isFile = file instanceof File && file.size > 0;
  // An empty choice leaves a column out that was recognised.
  const isKnown = form.has("recognised");
  const mapping = MAPPED_FIELDS.flatMap(([field]) =>
    isKnown || textField(form, `column-${field}`)
      ? [[field, textField(form, `column-${field}`)]]
      : [],
  );
  return {
    text: isFile ? decodeSheet(await file.bytes()) : String(form.get("text") ?? ""),
    account: textField(form, "account"),
    timezone: textField(form, "timezone"),
    // Another file has other columns.
    mapping: isFile ? {} : Object.fromEntries(mapping),
    isDryRun: textField(form, "step") !== "import",
  };
}

async function toRequest(sent: Sent, origin: string): Promise<ImportRequest> {
  const { zoneIn } = await import("../importing/form.ts");
  const { text, mapping, isDryRun } = sent;
  return {
    text,
    mapping,
    isDryRun,
    origin,
    zone: zoneIn(sent.timezone),
    account: sent.account || null,
  };
}

function noticeOf({ rows, created, skipped }: ImportOutcome, { isDryRun }: Sent): Shown["notice"] {
  const valid = rows.filter((row) => row.valid).length;
  const refused = rows.length - valid;
  const more = [
    ...(skipped > 0
      ? [`${plural(skipped, "post")} of this sheet ${skipped === 1 ? "is" : "are"} here already.`]
      : []),
    ...(refused > 0 ? [`${plural(refused, "row")} cannot be posted: see below.`] : []),
  ];
  const first = isDryRun
    ? `${plural(valid - skipped, "post")} can be made. Nothing is made yet.`
    : `${plural(created, "post")} made.`;
  return { text: [first, ...more].join(" "), isRefusal: false };
}

interface View extends Shown {
  sent: Sent;
  header: readonly string[];
  outcome: ImportOutcome | null;
}

async function show(c: Context<PageEnv>, view: View): Promise<Response> {
  const { sent, notice, status } = view;
  const accounts = await listAccounts(c.var.ctx);
  return renderOwnPage(
    c,
    { title: "Import a sheet", here: "/app/uploads", styles: STYLES, status },
    <>
      <h1>Import a sheet</h1>
      <NoticeLine notice={notice} />
      {sent.text.trim() !== "" && <Preview {...view} accounts={accounts} />}
      <Section id="file-title" title={sent.text.trim() === "" ? "The sheet" : "Another sheet"}>
        <TeamForm class="fields" action={PATH} enctype="multipart/form-data">
          <p>
            A CSV file whose first line names the columns, with a row for each post: at most 500 at
            once. Sheets for Ayrshare, Publer and Buffer are recognised. Nothing is posted before
            you have seen what would be made. <a href="/docs/sheets">What the columns mean</a>.
          </p>
          <InputField id="file" label="CSV file" type="file" accept=".csv,.tsv,text/csv" />
          <Field id="text" label="Or the rows themselves">
            <textarea id="text" name="text" rows={4} dir="auto" spellcheck={false} />
          </Field>
          <Defaults {...sent} accounts={accounts} prefix="" />
          <SubmitLine>Check the sheet</SubmitLine>
        </TeamForm>
      </Section>
    </>,
  );
}

const Defaults = ({
  account,
  timezone,
  accounts,
  prefix,
}: Pick<Sent, "account" | "timezone"> & { accounts: readonly AccountRow[]; prefix: string }) => (
  <>
    <Field id={`${prefix}account`} label="Account of rows that name none">
      <select id={`${prefix}account`} name="account">
        <option value="">None</option>
        {accounts.map(({ id, platform, accountName }) => (
          <option value={id} selected={id === account}>
            {accountName} · {platformName(platform)}
          </option>
        ))}
      </select>
    </Field>
    <InputField
      id={`${prefix}timezone`}
      name="timezone"
      label="Time zone of dates without one"
      hint="empty: the workspace's"
      value={timezone}
      maxlength={64}
      placeholder="Europe/Berlin"
    />
  </>
);

const Preview = ({
  sent,
  header,
  outcome,
  accounts,
}: View & { accounts: readonly AccountRow[] }) => {
  const names = new Map(accounts.map(({ id, accountName }) => [id, accountName]));
  const possible = outcome?.rows.filter(({ valid, uploadId }) => valid && uploadId === null) ?? [];
  return (
    <Section id="preview" title={sent.isDryRun ? "What would be made" : "What was made"}>
      <TeamForm class="fields" action={PATH} enctype="multipart/form-data">
        <textarea name="text" hidden aria-label="The sheet">
          {`\n${sent.text}`}
        </textarea>
        {outcome && <input type="hidden" name="recognised" value="1" />}
        <details open={outcome === null}>
          <summary>
            Columns
            {outcome && outcome.ignoredColumns.length > 0
              ? `, ${plural(outcome.ignoredColumns.length, "column")} left out`
              : ""}
          </summary>
          <div class="columns">
            {MAPPED_FIELDS.map(([field, label]) => (
              <Choice
                name={`column-${field}`}
                label={label}
                chosen={sent.mapping[field] ?? outcome?.columns[field] ?? ""}
                options={[
                  ["", "–"],
                  ...header.filter(Boolean).map((name) => [name, name] as const),
                ]}
              />
            ))}
          </div>
        </details>
        <Defaults {...sent} accounts={accounts} prefix="again-" />
        <p>
          <button class="quiet" type="submit" name="step" value="check">
            Check again
          </button>{" "}
          {possible.length > 0 && (
            <button type="submit" name="step" value="import">
              Make {plural(possible.length, "post")}
            </button>
          )}
        </p>
      </TeamForm>
      {outcome && (
        <>
          <p class="muted">Dates without a zone are read in the time of {outcome.zone}.</p>
          <ul class="list">
            {outcome.rows.map((row) => (
              <RowItem
                row={row}
                name={names.get(row.accountId ?? "")}
                clock={clockOf(outcome.zone)}
              />
            ))}
          </ul>
        </>
      )}
    </Section>
  );
};

const RowItem = ({
  row,
  name,
  clock,
}: {
  row: ImportRow;
  name: string | undefined;
  clock: Clock;
}) => {
  const { status, errors, warnings, uploadId, scheduledFor, text } = row;
  return (
    <li>
      <div class="grow">
        <span dir="auto">{cut(text) || "No text"}</span>
        <p class="muted">
          Row {row.row}
          {row.platform && ` · ${name ?? ""} · ${platformName(row.platform)}`}
          {scheduledFor && (
            <>
              {" "}
              · <Time at={scheduledFor} clock={clock} />
            </>
          )}
        </p>
        {errors.map(({ message }) => (
          <p class="why">{message}</p>
        ))}
        {warnings.map((message) => (
          <p class="muted">{message}</p>
        ))}
      </div>
      {uploadId !== null && <a href={`/app/uploads/${uploadId}`}>Post {uploadId}</a>}
      {row.valid && status ? (
        <State
          {...((uploadId === null ? WORDS_BEFORE[status] : undefined) ?? STATUS_WORDS[status])}
        />
      ) : (
        <State text="Refused" tone="bad" />
      )}
    </li>
  );
};
