import { platformName } from "../../platforms/registry.ts";
import { blockCall } from "../blocks/rules.ts";
import { Section } from "../dashboard/parts.tsx";
import { hasOwnTitle, OVERRIDES, takes } from "./content.ts";
import { Control, ErrorPlace } from "./control.tsx";
import { accountsOn, namesWhere, platformsOf, type View } from "./view.ts";

const Area = ({
  view,
  name,
  label,
  hint,
  text,
  rows,
}: {
  view: View;
  name: string;
  label: string;
  hint?: string;
  text: string;
  rows: number;
}) => (
  <Control view={view} name={name} label={label} {...(hint ? { hint } : {})}>
    {(attributes) => (
      <textarea {...attributes} rows={rows} dir="auto">
        {text}
      </textarea>
    )}
  </Control>
);

export const Texts = ({ view }: { view: View }) => {
  const { title, description } = view.content;
  const titled = namesWhere(view, hasOwnTitle);
  return (
    <Section id="texts" title="Text">
      <Area view={view} name="description" label="Text" rows={6} text={description} />
      <p class="counts" id="description-counts" />
      <Area
        view={view}
        name="title"
        label="Title"
        hint={
          titled
            ? `Used on ${titled}. The other accounts publish the text alone.`
            : "No account that is connected has a title of its own."
        }
        rows={1}
        text={title}
      />
      <p class="counts" id="title-counts" />
      {view.blocks.length > 0 && <Blocks blocks={view.blocks} />}
      {view.upload === null && <Variants view={view} />}
    </Section>
  );
};

const Blocks = ({ blocks }: Pick<View, "blocks">) => (
  <details>
    <summary>Text blocks</summary>
    <p class="muted">
      Write a block where its text shall stand; the preview shows it.{" "}
      <a href="/app/blocks">Change the blocks</a>
    </p>
    <ul>
      {blocks.map((block) => (
        <li>
          <code data-block>{blockCall(block)}</code>
        </li>
      ))}
    </ul>
  </details>
);

const LABELS = { title: "Title", caption: "Text", first_comment: "First comment" } as const;

const Variants = ({ view }: { view: View }) => (
  <div id="variants" data-pool="never">
    {platformsOf(view).flatMap((platform) => {
      const accounts = accountsOn(view, platform);
      const name = platformName(platform);
      return [
        <Variant view={view} of={platform} name={name} />,
        ...(accounts.length < 2
          ? []
          : accounts.map(({ id, accountName }) => (
              <Variant view={view} of={id} name={`${accountName} on ${name}`} />
            ))),
      ];
    })}
  </div>
);

const Variant = ({ view, of, name }: { view: View; of: string; name: string }) => {
  const own = view.content.overrides[of];
  return (
    <details class="variant" data-for={of} open={own !== undefined}>
      <summary>Different text for {name}…</summary>
      {OVERRIDES.map((field) => (
        <Area
          view={view}
          name={`overrides.${of}.${field}`}
          label={`${LABELS[field]} for ${name}`}
          rows={field === "caption" ? 4 : 1}
          text={own?.[field] ?? ""}
        />
      ))}
    </details>
  );
};

export const Thread = ({ view }: { view: View }) => {
  const { thread, fields, firstComment } = view.content;
  const threaded = namesWhere(view, (one) => takes(one, "post"));
  const commented = namesWhere(view, (one) => takes(one, "comment"));
  return (
    <Section id="thread" title="Thread and first comment">
      <p class="muted">
        {threaded
          ? `Further posts follow on ${threaded}. The other accounts get the first post alone.`
          : "No account that is connected has threads."}
      </p>
      <ol id="parts">
        {thread.map(({ text }, i) => (
          <li class="part">
            <label for={`thread-${i + 1}`}>Post {i + 2}</label>
            <textarea
              name="thread"
              id={`thread-${i + 1}`}
              rows={3}
              dir="auto"
              aria-describedby="thread-error"
            >
              {text}
            </textarea>
            <button class="quiet" name="do" value={`drop-part-${i + 1}`} type="submit">
              Remove post {i + 2}
            </button>
          </li>
        ))}
      </ol>
      <ErrorPlace view={view} control="thread" />
      <div class="row">
        <button class="quiet" name="do" value="add-part" type="submit">
          Add a post
        </button>
      </div>
      <label>
        <input
          type="checkbox"
          name="thread_marks"
          value="true"
          checked={fields.thread_marks === "true"}
        />
        End each post of the thread with its number, such as 1/5
      </label>
      <Area
        view={view}
        name="first_comment"
        label="First comment"
        hint={
          commented
            ? `Published under the post on ${commented}.`
            : "No account that is connected takes comments."
        }
        rows={2}
        text={firstComment}
      />
    </Section>
  );
};
