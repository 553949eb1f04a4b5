import { TeamForm } from "../../../pages/team-form.tsx";
import { fileRoutes } from "../../presign/rules.ts";
import { Button, Field, InputField } from "../form-parts.tsx";
import { Section } from "../parts.tsx";
import { Item, type Line, TextFields } from "./item-parts.tsx";
import { POOLS } from "./list.tsx";
import { formState, type RefusedForm } from "./refused.ts";
import { itemCount } from "./words.ts";

export const ON_A_PAGE = 50;

export interface QueueProps {
  poolId: number;
  lines: readonly Line[];
  queued: number;
  skipped: number;
  pictures: ReadonlyMap<number, string>;
  /** The item whose form is open. */
  open: string | null;
  refused: RefusedForm | null;
  mayChange: boolean;
}

export const Queue = ({ lines, queued, skipped, ...props }: QueueProps) => {
  const { poolId, mayChange } = props;
  const posting = lines.filter(({ state }) => state === "posting").length;
  const page = `from=${skipped}`;
  return (
    <Section id="queue-title" title={`Queue: ${itemCount(queued)}`}>
      {lines.length === 0 && (
        <p>
          {queued === 0 ? (
            "Nothing is queued. Add pictures or a video below."
          ) : (
            <>
              The queue ends before this page.{" "}
              <a href={`${POOLS}/${poolId}`}>Go to its beginning</a>.
            </>
          )}
        </p>
      )}
      <p class="hidden" role="status" id="told"></p>
      <ol class="queue" id="queue" data-pool={poolId} data-from={skipped}>
        {lines.map((item, i) => (
          <Item
            item={item}
            poolId={poolId}
            number={skipped + i + 1}
            isFirst={skipped + i === posting}
            isLast={skipped + i === queued - 1}
            picture={props.pictures.get(item.id) ?? null}
            isOpen={props.open === String(item.id) || props.refused?.id === `item-${item.id}`}
            refused={props.refused}
            mayChange={mayChange}
            page={page}
          />
        ))}
      </ol>
      <Pages poolId={poolId} queued={queued} skipped={skipped} />
      {mayChange && queued > 0 && (
        <details class="confirm">
          <summary>Clear the queue</summary>
          <TeamForm action={`${POOLS}/${poolId}/items/clear`}>
            <p>Every waiting item is removed. Posts that are on their way stay.</p>
            <Button tone="danger">Remove all waiting items</Button>
          </TeamForm>
        </details>
      )}
    </Section>
  );
};

const Pages = (props: { poolId: number; queued: number; skipped: number }) => {
  const { poolId, queued, skipped } = props;
  if (queued <= ON_A_PAGE && skipped === 0) return null;
  const address = (from: number) => `${POOLS}/${poolId}?from=${from}#queue-title`;
  return (
    <nav class="row" aria-label="Pages of the queue">
      {skipped > 0 && (
        <a class="button quiet" rel="prev" href={address(Math.max(0, skipped - ON_A_PAGE))}>
          Previous
        </a>
      )}
      {skipped + ON_A_PAGE < queued && (
        <a class="button quiet" rel="next" href={address(skipped + ON_A_PAGE)}>
          Next
        </a>
      )}
    </nav>
  );
};

interface AddProps {
  poolId: number;
  refused: RefusedForm | null;
}

const FILE_FIELDS = ["photo", "video", "mediaId", "alt_text"];

export const AddItem = ({ poolId, refused }: AddProps) => {
  const state = formState("item-new", refused);
  const fileError = FILE_FIELDS.flatMap((name) => state.errorOf(name) ?? []).join(" ") || null;
  return (
    <Section id="add" title="Add to the queue">
      <div
        class="drop"
        id="drop"
        hidden
        data-pool={poolId}
        data-routes={JSON.stringify(fileRoutes())}
      >
        <p>Drop pictures and videos anywhere on this page: each becomes an item.</p>
      </div>
      <details open={state.isRefused}>
        <summary>Add one item</summary>
        <TeamForm
          class="fields"
          action={`${POOLS}/${poolId}/items`}
          enctype="multipart/form-data"
          makes
        >
          {state.isRefused && (
            <p class="muted">Choose the files again: a browser sends them once.</p>
          )}
          <TextFields id="item-new" state={state} item={null} />
          <InputField
            id="photo"
            label="Photos"
            hint="several for a carousel"
            type="file"
            accept="image/*"
            multiple
            refusal={fileError}
          />
          <InputField id="video" label="Or a video" type="file" accept="video/*" />
          <InputField
            id="video_url"
            label="Or the address of a video"
            type="url"
            autocomplete="off"
            placeholder="https://"
            value={state.valueOf("video_url")}
          />
          <p>
            <Button>Add the item</Button>
          </p>
        </TeamForm>
      </details>
      <AddRows poolId={poolId} refused={refused} />
    </Section>
  );
};

const EXAMPLE = "title,videoUrl,description,metadata";

const AddRows = ({ poolId, refused }: AddProps) => {
  const state = formState("csv", refused);
  const errors = refused?.id === "csv" ? refused.errors : [];
  return (
    <details open={state.isRefused}>
      <summary>Add many videos from a table (CSV)</summary>
      <TeamForm
        class="fields"
        action={`${POOLS}/${poolId}/csv`}
        enctype="multipart/form-data"
        makes
      >
        <p class="muted">
          Up to 50 rows at once. The first row names the columns: <code>{EXAMPLE}</code>. All rows
          are added, or none when one is refused. <a href="/docs/pools">What the columns mean</a>.
        </p>
        <InputField id="csv-file" name="file" label="CSV file" type="file" accept=".csv,text/csv" />
        <Field id="csv-rows" label="Or the rows themselves">
          <textarea
            id="csv-rows"
            name="rows"
            rows={6}
            dir="auto"
            spellcheck={false}
            placeholder={EXAMPLE}
            {...(errors.length > 0
              ? { "aria-invalid": "true", "aria-describedby": "csv-rows-errors" }
              : {})}
          >
            {state.valueOf("rows")}
          </textarea>
          {errors.length > 0 && (
            <ul class="rows" id="csv-rows-errors" role="alert">
              {errors.map(({ message }) => (
                <li>{message}</li>
              ))}
            </ul>
          )}
        </Field>
        <p>
          <Button>Add the rows</Button>
        </p>
      </TeamForm>
    </details>
  );
};
