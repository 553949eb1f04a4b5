import { type Context, Hono } from "hono";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { Day } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { listSuggestions } from "../suggestions/service.ts";
import type { SuggestionStatus } from "../suggestions/table.ts";
import { Field, InputField, SubmitLine } from "./form-parts.tsx";
import { formCall } from "./once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";

export const suggestionsPage = new Hono<PageEnv>();

const PATH = "/app/suggestions";
const ON_A_PAGE = 50;
const ID = /^[1-9]\d{0,14}$/;

const STATES: Record<SuggestionStatus, { text: string; tone: string }> = {
  open: { text: "Open", tone: "" },
  planned: { text: "Planned", tone: "wait" },
  done: { text: "Done", tone: "good" },
  declined: { text: "Declined", tone: "bad" },
};

const DONE_MESSAGES = { sent: "Thank you, the suggestion is sent." };

suggestionsPage.get(PATH, signedIn("read:pages"), (c) =>
  show(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

suggestionsPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { createSuggestion, newSuggestionSchema } = await import("./actions.ts");
  const refused = await attempt(async () => {
    const fields = { title: textField(form, "title"), body: textField(form, "body") };
    await createSuggestion(c.var.ctx, readFields(newSuggestionSchema, fields), formCall(c));
  });
  if (refused) return show(c, { ...refused, sent: form });
  return c.redirect(`${PATH}?done=sent`, 303);
});

async function show(
  c: Context<PageEnv>,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const cursor = c.req.query("before") ?? "";
  const before = ID.test(cursor) ? Number(cursor) : undefined;
  const { rows, nextBefore } = await listSuggestions(c.var.ctx, { limit: ON_A_PAGE, before });
  return renderOwnPage(
    c,
    { title: "Suggestions", here: "/app/settings", status },
    <>
      <h1>Suggestions</h1>
      <NoticeLine notice={notice} />
      <Section id="new" title="Make a suggestion">
        <TeamForm class="fields" action={PATH} makes>
          <InputField
            id="title"
            label="In a few words"
            maxlength={200}
            required
            value={sent ? textField(sent, "title") : ""}
          />
          <Field id="body" label="More about it" hint="if you like">
            <textarea id="body" name="body" rows={5} maxlength={5_000}>
              {sent ? textField(sent, "body") : ""}
            </textarea>
          </Field>
          <SubmitLine>Send</SubmitLine>
        </TeamForm>
      </Section>
      <Section id="made" title="Your team's suggestions">
        {rows.length === 0 ? (
          <p>There are none yet.</p>
        ) : (
          <ul class="list">
            {rows.map(({ title, body, status: state, createdAt }) => (
              <li>
                <div class="grow">
                  {title}
                  {body && <p class="muted">{body}</p>}
                  <p class="muted">
                    <Day at={createdAt} />
                  </p>
                </div>
                <State {...STATES[state]} />
              </li>
            ))}
          </ul>
        )}
        {nextBefore !== null && (
          <p>
            <a href={`${PATH}?before=${nextBefore}`}>Older ones</a>
          </p>
        )}
      </Section>
    </>,
  );
}
