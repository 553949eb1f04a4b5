import { type Context, Hono } from "hono";
import { formatBytes } from "../../core/counts.ts";
import { MAX_FILE_NAME } from "../../core/file-name.ts";
import { toPagination } from "../../core/pagination.ts";
import { isBrokenText, isLongerThan } from "../../core/text.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { MEDIA_KINDS, monthlyCostOf, storagePrice } from "../library/rules.ts";
import { type KeptUsage, listQueries, toUsage } from "../library/service.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, Choice, InputField } from "./form-parts.tsx";
import {
  FILE_STYLES,
  type FileView,
  fileAddress,
  KeepForm,
  KIND_WORDS,
  Lifetime,
  RemoveForm,
  toView,
  UseLink,
} from "./media-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";

export const mediaPage = new Hono<PageEnv>();

const PATH = "/app/media";
const ON_A_PAGE = 24;

const DONE_MESSAGES: Record<string, string> = {
  removed: "The file is removed.",
  kept: "The file is kept until you remove it or stop keeping it.",
  "not-kept": "The file is no longer kept.",
};

mediaPage.get(PATH, signedIn("read:pages"), (c) =>
  showFiles(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

mediaPage.post(PATH, signedIn("write"), async (c) => {
  const [{ readFileForm }, { addFile }] = await Promise.all([
    import("../library/form.ts"),
    import("../library/change.ts"),
  ]);
  let mediaId = "";
  const refused = await attempt(async () => {
    const { ctx } = c.var;
    mediaId = (await addFile(ctx, await readFileForm(ctx, c.req.raw))).sha256;
  });
  return refused
    ? showFiles(c, withoutField(refused))
    : c.redirect(`${fileAddress(mediaId)}?done=added`, 303);
});

/** "file: the file is empty." becomes "The file is empty." */
export function withoutField({ notice, ...shown }: Shown): Shown {
  if (!notice) return { ...shown, notice };
  const text = notice.text.replace(/^(?:file|name|keep|url): /, "");
  return { ...shown, notice: { ...notice, text: text.charAt(0).toUpperCase() + text.slice(1) } };
}

type Fields = Record<"search" | "kind" | "kept", string>;

function readFilter(query: Record<string, string>) {
  const field = (name: string) => (query[name] ?? "").trim();
  const fields: Fields = { search: field("search"), kind: field("kind"), kept: field("kept") };
  const { search, kind, kept } = fields;
  const page = field("page") || "1";
  const isGood =
    !isLongerThan(search, MAX_FILE_NAME) &&
    !isBrokenText(search) &&
    ["", ...MEDIA_KINDS].includes(kind) &&
    ["", "true", "false"].includes(kept) &&
    /^[1-9]\d{0,5}$/.test(page);
  if (!isGood) return { fields, filter: { page: 1, limit: ON_A_PAGE }, isMistaken: true };
  const filter = {
    search: search || undefined,
    kind: MEDIA_KINDS.find((one) => one === kind),
    kept: kept === "" ? undefined : kept === "true",
    page: Number(page),
    limit: ON_A_PAGE,
  };
  return { fields, filter, isMistaken: false };
}

const addressOf = (fields: Fields, page = 1): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== "") params.set(name, value);
  if (page > 1) params.set("page", String(page));
  return params.size > 0 ? `${PATH}?${params}` : PATH;
};

async function showFiles(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { ctx } = c.var;
  const { fields, filter, isMistaken } = readFilter(c.req.query());
  const [[zone = null], rows, [total = 0], plans] = await ctx.read("posts:read", [
    zoneOfTeam({ team: ctx.team }),
    ...listQueries(ctx, filter),
  ]);
  const clock = clockOf(zone);
  const files = await Promise.all(rows.map((row) => toView(ctx, row)));
  const mistake = {
    text: "One of the filters is not one of ours. All files are shown.",
    isRefusal: true,
  };
  const { page } = filter;
  const { totalPages } = toPagination(total, page, ON_A_PAGE);
  return renderOwnPage(
    c,
    { title: "Media", here: PATH, status, styles: FILE_STYLES },
    <>
      <h1>Media</h1>
      <NoticeLine notice={notice ?? (isMistaken ? mistake : null)} />
      <AddForm />
      <FilterForm fields={fields} />
      <Section id="found" title={total === 1 ? "1 file" : `${total} files`}>
        <Kept usage={toUsage(ctx, plans)} />
        {files.length > 0 ? (
          <ul class="media">
            {files.map((file) => (
              <Tile file={file} clock={clock} back={addressOf(fields, page)} />
            ))}
          </ul>
        ) : (
          <Nothing fields={fields} total={total} />
        )}
      </Section>
      {totalPages > 1 && (
        <nav class="row" aria-label="Pages of the list">
          {page > 1 && (
            <a
              class="button quiet"
              rel="prev"
              href={addressOf(fields, Math.min(page - 1, totalPages))}
            >
              Previous
            </a>
          )}
          <span class="muted">
            Page {page} of {totalPages}
          </span>
          {page < totalPages && (
            <a class="button quiet" rel="next" href={addressOf(fields, page + 1)}>
              Next
            </a>
          )}
        </nav>
      )}
    </>,
  );
}

const AddForm = () => (
  <Section id="add" title="Add a file">
    <TeamForm class="fields" action={PATH} enctype="multipart/form-data">
      <InputField
        id="file"
        label="File"
        hint="an image, video or document under 100 MB"
        type="file"
        required
      />
      <InputField
        id="name"
        label="Name"
        hint="optional; else the file's own"
        maxlength={255}
        autocomplete="off"
      />
      <label>
        <input type="checkbox" name="keep" value="true" />
        Keep it until I remove it
      </label>
      <p>
        <Button>Add the file</Button>
      </p>
    </TeamForm>
  </Section>
);

const FilterForm = ({ fields }: { fields: Fields }) => (
  <form class="card filters" method="get" action={PATH} aria-label="Filter">
    <InputField id="search" label="Name" type="search" maxlength={255} value={fields.search} />
    <Choice
      name="kind"
      label="Kind"
      chosen={fields.kind}
      options={[["", "All"], ...MEDIA_KINDS.map((kind) => [kind, KIND_WORDS[kind]] as const)]}
    />
    <Choice
      name="kept"
      label="Kept"
      chosen={fields.kept}
      options={[
        ["", "All"],
        ["true", "Kept"],
        ["false", "Not kept"],
      ]}
    />
    <p class="row">
      <button type="submit">Show</button>
      <a class="button quiet" href={PATH}>
        Show all
      </a>
    </p>
  </form>
);

const Kept = ({ usage: { used, allowance } }: { usage: KeptUsage }) => {
  const cost = monthlyCostOf(used);
  if (used === 0) {
    return (
      <p class="muted">
        No file is kept{allowance !== null && `: your plan has room for ${formatBytes(allowance)}`}.
      </p>
    );
  }
  return (
    <p class="muted">
      Kept: {formatBytes(used)}
      {allowance !== null && ` of the ${formatBytes(allowance)} of your plan`}. They cost the
      instance about ${cost.toFixed(2)} a month ({storagePrice}).
    </p>
  );
};

const Tile = ({ file, clock, back }: { file: FileView; clock: Clock; back: string }) => (
  <li>
    <a href={fileAddress(file.mediaId)}>
      <span class="shot">
        {file.thumbnail ? (
          <img src={file.thumbnail} alt="" loading="lazy" />
        ) : (
          KIND_WORDS[file.kind]
        )}
      </span>
      <span class="name">{file.name}</span>
    </a>
    <p class="muted">
      {file.facts}
      <br />
      {file.posts === 0 ? "In no post" : file.posts === 1 ? "In 1 post" : `In ${file.posts} posts`}
      {" · "}
      <Lifetime file={file} clock={clock} />
    </p>
    <div class="row">
      <UseLink file={file} />
      <KeepForm file={file} back={back} />
    </div>
    <details>
      <summary>
        Remove<span class="hidden"> {file.name}</span>
      </summary>
      <RemoveForm file={file} back={back} />
    </details>
  </li>
);

const Nothing = ({ fields, total }: { fields: Fields; total: number }) => {
  if (total > 0) {
    return (
      <p>
        The list ends before this page. <a href={addressOf(fields)}>Go to its beginning</a>.
      </p>
    );
  }
  return Object.values(fields).some((value) => value !== "") ? (
    <p>
      No file matches. Use fewer filters, or <a href={PATH}>show all</a>.
    </p>
  ) : (
    <p>
      There are no files yet. Add one above, or <a href="/app/compose">write a post</a>: its files
      appear here.
    </p>
  );
};
