import { type Context, Hono } from "hono";
import * as z from "zod";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import type { BlockRow } from "../blocks/repo.ts";
import { blockCall } from "../blocks/rules.ts";
import { listBlocks } from "../blocks/service.ts";
import { Button, Choice, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";

export const blocksPage = new Hono<PageEnv>();

const PATH = "/app/blocks";

const DONE_MESSAGES = { saved: "The block is saved.", deleted: "The block is deleted." };

const KINDS = [
  ["text", "Text"],
  ["utm", "Parameters for an address (UTM)"],
] as const;

/** Google's campaign parameters: support.google.com/analytics/answer/10917952 */
const UTM_FIELDS = [
  ["utm_source", "Source", "{platform}"],
  ["utm_medium", "Medium", "social"],
  ["utm_campaign", "Campaign", ""],
  ["utm_term", "Term", ""],
  ["utm_content", "Content", ""],
] as const;

const STYLES = ".block { white-space: pre-wrap; } .call { user-select: all; }";

blocksPage.get(PATH, signedIn("read:pages"), (c) =>
  show(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

blocksPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { blockName, newBlockSchema } = await import("../blocks/schema.ts");
  const { saveBlock } = await import("../blocks/service.ts");
  const refused = await attempt(async () => {
    const fields = { kind: textField(form, "kind") || undefined, text: sentText(form) };
    const { name } = readFields(z.object({ name: blockName }), {
      name: textField(form, "name"),
    });
    await saveBlock(c.var.ctx, { name, ...readFields(newBlockSchema, fields) });
  });
  return refused ? show(c, { ...refused, sent: form }) : c.redirect(`${PATH}?done=saved`, 303);
});

blocksPage.post(`${PATH}/:name/delete`, signedIn("destructive"), async (c) => {
  const { deleteBlock } = await import("../blocks/service.ts");
  const refused = await attempt(() => deleteBlock(c.var.ctx, c.req.param("name")));
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=deleted`, 303);
});

/** The form of UTM parameters has a field for each. */
function sentText(form: FormData): string {
  if (form.has("text")) return textField(form, "text");
  const built = UTM_FIELDS.flatMap(([parameter]) => {
    const value = textField(form, parameter).trim();
    return value ? [`${parameter}=${readable(encodeURIComponent(value))}`] : [];
  });
  const others = textField(form, "others");
  return [...built, ...(others ? [others] : [])].join("&");
}

/** Variables keep their braces. */
const readable = (value: string): string => value.replace(/%7B(\w+)%7D/g, "{$1}");

async function show(
  c: Context<PageEnv>,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const blocks = await listBlocks(c.var.ctx);
  const chosen = blocks.find(({ name }) => name === c.req.query("name"));
  const shownValue = (field: "name" | "kind" | "text"): string =>
    sent ? textField(sent, field) : (chosen?.[field] ?? "");
  return renderOwnPage(
    c,
    { title: "Text blocks", here: "/app/settings", styles: STYLES, status },
    <>
      <h1>Text blocks</h1>
      <NoticeLine notice={notice} />
      <Section id="blocks" title="Your team's blocks">
        <p class="muted">
          A post names a block where its text shall stand, as <code>{"{block:signature}"}</code>.{" "}
          <a href="/docs/blocks">How blocks work</a>.
        </p>
        {blocks.length === 0 ? (
          <p>There are none yet.</p>
        ) : (
          <ul class="list">
            {blocks.map((block) => (
              <BlockItem {...block} />
            ))}
          </ul>
        )}
      </Section>
      <Section id="new" title={chosen ? `Change ${chosen.name}` : "Make a block"}>
        <TeamForm class="fields" action={PATH}>
          <InputField
            id="name"
            label="Name"
            hint="small letters, digits and hyphens"
            maxlength={50}
            required
            value={shownValue("name")}
          />
          <Choice name="kind" label="Kind" chosen={shownValue("kind")} options={KINDS} />
          <Field
            id="text"
            label="Text"
            hint="{platform} and {account} are those of the post, others are given by it"
          >
            <textarea id="text" name="text" rows={5} maxlength={10_000} required dir="auto">
              {shownValue("text")}
            </textarea>
          </Field>
          <SubmitLine>Save</SubmitLine>
        </TeamForm>
      </Section>
      <Section id="utm" title="Build UTM parameters">
        <UtmForm sent={sent?.has("text") ? undefined : sent} chosen={chosen} />
      </Section>
    </>,
  );
}

/** Parameters of a block that have no field. */
const othersIn = (text: string): string =>
  text
    .split("&")
    .filter((one) => !UTM_FIELDS.some(([parameter]) => one.startsWith(`${parameter}=`)))
    .join("&");

const UtmForm = ({
  sent,
  chosen,
}: {
  sent?: FormData | undefined;
  chosen?: BlockRow | undefined;
}) => {
  const changed = chosen?.kind === "utm" ? chosen : undefined;
  const saved = changed && new URLSearchParams(changed.text);
  const shownValue = (parameter: string, unset: string): string => {
    if (sent) return textField(sent, parameter);
    return saved ? (saved.get(parameter) ?? "") : unset;
  };
  return (
    <TeamForm class="fields" action={PATH}>
      <p class="muted">
        They tell your visitor statistics where a visitor came from. A post puts the block around an
        address: <code>{"{block:spring|https://example.com}"}</code>.
      </p>
      <input type="hidden" name="kind" value="utm" />
      <input
        type="hidden"
        name="others"
        value={sent ? textField(sent, "others") : othersIn(changed?.text ?? "")}
      />
      <InputField
        id="utm-name"
        name="name"
        label="Name of the block"
        hint="small letters, digits and hyphens"
        maxlength={50}
        required
        value={sent ? textField(sent, "name") : changed?.name}
      />
      {UTM_FIELDS.map(([parameter, label, unset]) => (
        <InputField
          id={parameter}
          label={label}
          value={shownValue(parameter, unset)}
          maxlength={200}
        />
      ))}
      <SubmitLine>Save</SubmitLine>
    </TeamForm>
  );
};

const BlockItem = (block: BlockRow) => (
  <li>
    <div class="grow">
      <code class="call">{blockCall(block)}</code>
      <p class="block muted" dir="auto">
        {block.text}
      </p>
    </div>
    <div class="row">
      <a class="button quiet" href={`${PATH}?name=${block.name}#new`}>
        Change
      </a>
      <TeamForm action={`${PATH}/${block.name}/delete`}>
        <Button tone="danger" label={`Delete ${block.name}`}>
          Delete
        </Button>
      </TeamForm>
    </div>
  </li>
);
