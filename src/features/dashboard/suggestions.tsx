import { type Context, Hono } from "hono";
import { invalidFields, toFieldErrors } from "../../core/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderAppPage } from "../../pages/app-layout.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type PageEnv, signedIn, viewerOf } from "../auth/signed-in.ts";
import { listSuggestions } from "../suggestions/service.ts";
import type { SuggestionStatus } from "../suggestions/table.ts";
import { type Notice, NoticeLine, Section, State } from "./parts.tsx";
import { attempt } from "./refusals.ts";

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

interface Shown {
  notice: Notice | null;
  status: number;
  sent?: FormData;
}

suggestionsPage.get(PATH, signedIn("read:pages"), (c) => {
  const isSent = c.req.query("done") === "sent";
  const notice = isSent ? { text: "Thank you, the suggestion is sent.", isRefusal: false } : null;
  return show(c, { notice, status: 200 });
});

suggestionsPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { createSuggestion, newSuggestionSchema } = await import("./actions.ts");
  const refused = await attempt(async () => {
    const fields = { title: textField(form, "title"), body: textField(form, "body") };
    const input = newSuggestionSchema.safeParse(fields);
    if (!input.success) throw invalidFields(toFieldErrors(input.error));
    await createSuggestion(c.var.ctx, input.data);
  });
  if (refused) return show(c, { ...refused, sent: form });
  return c.redirect(`${PATH}?done=sent`, 303);
});

async function show(c: Context<PageEnv>, { notice, status, sent }: Shown): Promise<Response> {
  const cursor = c.req.query("before") ?? "";
  const before = ID.test(cursor) ? Number(cursor) : undefined;
  const { rows, nextBefore } = await listSuggestions(c.var.ctx, { limit: ON_A_PAGE, before });
  return renderAppPage(
    c,
    viewerOf(c),
    { title: "Suggestions", here: "/app/settings", status },
    <>
      <h1>Suggestions</h1>
      <NoticeLine notice={notice} />
      <Section id="new" title="Make a suggestion">
        <TeamForm class="fields" action={PATH}>
          <div>
            <label for="title">In a few words</label>
            <input
              id="title"
              name="title"
              maxlength={200}
              required
              value={sent ? textField(sent, "title") : ""}
            />
          </div>
          <div>
            <label for="body">
              More about it <span class="hint">(if you like)</span>
            </label>
            <textarea id="body" name="body" rows={5} maxlength={5_000}>
              {sent ? textField(sent, "body") : ""}
            </textarea>
          </div>
          <p>
            <button type="submit">Send</button>
          </p>
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
                    <time datetime={createdAt.toISOString()}>
                      {createdAt.toISOString().slice(0, 10)}
                    </time>
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
