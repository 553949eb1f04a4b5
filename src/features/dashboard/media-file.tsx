import { type Context, Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { type FileWithUses, fileQueries, nameOf } from "../library/service.ts";
import { mediaPath } from "../media/files.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, InputField } from "./form-parts.tsx";
import { withoutField } from "./media.tsx";
import {
  FILE_STYLES,
  type FileView,
  fileAddress,
  KeepForm,
  Lifetime,
  RemoveForm,
  toView,
  UseLink,
} from "./media-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";
import { STATUS_WORDS } from "./words.ts";

export const mediaFilePage = new Hono<PageEnv>();

const PATH = "/app/media/:mediaId";
const LIST = "/app/media";

const DONE_MESSAGES: Record<string, string> = {
  added: "The file is stored.",
  renamed: "The file has its new name.",
  kept: "The file is kept until you remove it or stop keeping it.",
  "not-kept": "The file is no longer kept.",
};

const idOf = (c: Context<PageEnv>): string => c.req.param("mediaId") ?? "";

mediaFilePage.get(PATH, signedIn("read:pages"), (c) =>
  showFile(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

mediaFilePage.post(PATH, signedIn("write"), async (c) => {
  const name = textField(await readForm(c), "name");
  const refused = await change(c, { name });
  return refused
    ? showFile(c, { notice: null, status: refused.status }, { name, text: refused.notice?.text })
    : c.redirect(`${fileAddress(idOf(c))}?done=renamed`, 303);
});

mediaFilePage.post(`${PATH}/keep`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const keep = textField(form, "keep") === "true";
  const refused = await change(c, { keep });
  const back = backIn(form) ?? fileAddress(idOf(c));
  return refused
    ? showFile(c, refused)
    : c.redirect(withDone(back, keep ? "kept" : "not-kept"), 303);
});

mediaFilePage.post(`${PATH}/remove`, signedIn("destructive"), async (c) => {
  const form = await readForm(c);
  const { removeFile } = await import("../library/change.ts");
  const refused = await attempt(() => removeFile(c.var.ctx, idOf(c)));
  return refused
    ? showFile(c, refused)
    : c.redirect(withDone(backIn(form) ?? LIST, "removed"), 303);
});

async function change(c: Context<PageEnv>, fields: object): Promise<Shown | null> {
  const [{ changeFile }, { fileChangeSchema }] = await Promise.all([
    import("../library/change.ts"),
    import("../library/schema.ts"),
  ]);
  const refused = await attempt(() =>
    changeFile(c.var.ctx, idOf(c), readFields(fileChangeSchema, fields)),
  );
  return refused && withoutField(refused);
}

/** The address of a list of files; null for any other. */
function backIn(form: FormData): string | null {
  const back = textField(form, "back");
  return /^\/app\/media(?:\?[\x21-\x7e]{0,2000})?$/.test(back) ? back : null;
}

const withDone = (address: string, done: string): string =>
  `${address}${address.includes("?") ? "&" : "?"}done=${done}`;

async function showFile(
  c: Context<PageEnv>,
  { notice, status }: Shown,
  refused: { name: string; text: string | undefined } | null = null,
): Promise<Response> {
  const { ctx } = c.var;
  const [[zone = null], [file], uses, items] = await ctx.read("posts:read", [
    zoneOfTeam({ team: ctx.team }),
    ...fileQueries(ctx, idOf(c)),
  ]);
  if (!file) throw notFound("File");
  const view = await toView(ctx, file);
  const original = await mediaPath(ctx, file.teamId, file.sha256);
  const clock = clockOf(zone);
  return renderOwnPage(
    c,
    { title: view.name, here: LIST, status, styles: FILE_STYLES, hasMedia: true },
    <>
      <p>
        <a href={LIST}>All files</a>
      </p>
      <h1 class="name">{view.name}</h1>
      <NoticeLine notice={notice} />
      <Section id="shown" title="File">
        <Whole view={view} address={original} />
        <dl>
          <Fact name="Kind">
            {view.facts}, {view.mime}
          </Fact>
          <Fact name="Stored">
            <Time at={file.createdAt} clock={clock} />
          </Fact>
          <Fact name="How long">
            <Lifetime file={view} clock={clock} />
          </Fact>
          <Fact name="mediaId">
            <pre class="address">{view.mediaId}</pre>
          </Fact>
        </dl>
        <div class="row">
          <UseLink file={view} />
          <KeepForm file={view} back={fileAddress(view.mediaId)} />
          <a class="button quiet" href={original} download={view.name}>
            Download
          </a>
        </div>
      </Section>
      <Uses uses={uses} items={items} />
      <Section id="rename" title="Name">
        <TeamForm class="fields" action={fileAddress(view.mediaId)}>
          <InputField
            id="name"
            label="Name"
            maxlength={255}
            required
            value={refused?.name ?? nameOf(file) ?? ""}
            refusal={refused?.text ?? null}
            autocomplete="off"
          />
          <p>
            <Button>Rename</Button>
          </p>
        </TeamForm>
      </Section>
      <Section id="remove" title="Remove">
        <RemoveForm file={view} back={LIST} />
      </Section>
    </>,
  );
}

const Whole = ({ view, address }: { view: FileView; address: string }) => {
  if (view.kind === "image") return <img class="whole" src={address} alt={view.name} />;
  if (view.kind === "video") {
    return (
      // biome-ignore lint/a11y/useMediaCaption: the file is shown as it is stored, and has no captions beside it.
      <video class="whole" controls playsinline preload="metadata" aria-label={view.name}>
        <source src={address} />
      </video>
    );
  }
  return (
    <p>
      A document. <a href={address}>Open it</a>.
    </p>
  );
};

const Uses = ({ uses, items }: Pick<FileWithUses, "uses" | "items">) => (
  <Section id="used" title="Used by">
    {uses.length === 0 && items.length === 0 && <p>No post has this file now.</p>}
    {uses.length > 0 && (
      <ul class="list">
        {uses.map(({ uploadId, platform, accountName, status }) => (
          <li>
            <a class="grow" href={`/app/uploads/${uploadId}`}>
              Post {uploadId}, {accountName ?? "a removed account"} on {platformName(platform)}
            </a>
            <State {...STATUS_WORDS[status]} />
          </li>
        ))}
      </ul>
    )}
    {items.length > 0 && (
      <ul>
        {items.map(({ itemId, poolId, title }) => (
          <li>
            Item {itemId} of pool {poolId}: {title}
          </li>
        ))}
      </ul>
    )}
  </Section>
);
