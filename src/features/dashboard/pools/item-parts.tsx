import { TeamForm } from "../../../pages/team-form.tsx";
import type { PoolView } from "../../pools/pages.ts";
import { Button, Field, InputField } from "../form-parts.tsx";
import { cut, State } from "../parts.tsx";
import { POOLS } from "./list.tsx";
import { type FormState, formState, type RefusedForm } from "./refused.ts";

export type Line = PoolView["lines"][number];

export const VARIANT_LINE = "---";

export const variantsIn = (text: string): string[] =>
  text
    .split(/^-{3,}\s*$/m)
    .map((one) => one.trim())
    .filter((one) => one !== "");

const joinVariants = (variants: readonly string[] | null): string =>
  (variants ?? []).join(`\n${VARIANT_LINE}\n`);

const partsOf = (value: Line["settings"][string]): number => {
  const text = Array.isArray(value) ? value.at(-1) : value;
  try {
    const parts: unknown = JSON.parse(text ?? "");
    return Array.isArray(parts) ? parts.length : 0;
  } catch {
    return 0;
  }
};

const isSet = (value: Line["settings"][string]): boolean => value !== undefined && value !== "";

/** "3 photos · repeats every 30 days, went out 2 of 6 times · first comment" */
function factsOf({ media, settings, ...item }: Line): string {
  const photos = media.filter(({ role }) => role === "photo").length;
  const { thread, first_comment: comment, thread_marks: _, alt_text: alt, ...others } = settings;
  const options = Object.keys(others).length;
  return [
    media.length === photos ? (photos === 1 ? "1 photo" : `${photos} photos`) : "Video",
    ...(isSet(alt) ? ["described"] : []),
    ...(item.repeatDays !== null && item.repeatTimes !== null
      ? [
          `repeats every ${item.repeatDays === 1 ? "day" : `${item.repeatDays} days`}, went out ${item.dispatches} of ${item.repeatTimes} times`,
        ]
      : []),
    ...(item.variants ? [`${item.variants.length} other texts`] : []),
    ...(isSet(thread) ? [partsOf(thread) > 0 ? `thread of ${partsOf(thread) + 1}` : "thread"] : []),
    ...(isSet(comment) ? ["first comment"] : []),
    ...(options > 0
      ? [options === 1 ? "1 setting of a platform" : `${options} settings of platforms`]
      : []),
  ].join(" · ");
}

interface ItemProps {
  item: Line;
  poolId: number;
  /** Place in the whole queue, from 1. */
  number: number;
  isFirst: boolean;
  isLast: boolean;
  picture: string | null;
  isOpen: boolean;
  refused: RefusedForm | null;
  mayChange: boolean;
  /** Query of the page of the queue. */
  page: string;
}

export const Item = ({ item, poolId, number, picture, mayChange, ...rest }: ItemProps) => {
  const path = `${POOLS}/${poolId}/items/${item.id}`;
  const isWaiting = item.state === "queued";
  const id = `item-${item.id}`;
  return (
    <li
      class={isWaiting && mayChange ? "item movable" : "item"}
      id={id}
      data-id={isWaiting ? item.id : undefined}
    >
      {picture ? (
        <img class="thumb" src={picture} alt="" loading="lazy" draggable={false} />
      ) : (
        <span class="thumb" aria-hidden="true">
          {item.media[0]?.role === "photo" ? "Photo" : "Video"}
        </span>
      )}
      <div>
        <h3>
          <span class="muted number">{isWaiting ? `${number}.` : ""}</span> {cut(item.title)}
          {!isWaiting && (
            <>
              {" "}
              <State text="Being published" tone="wait" />
            </>
          )}
        </h3>
        {item.description && <p>{cut(item.description)}</p>}
        <p class="muted">{factsOf(item)}</p>
        {item.why && <p class="why">{cut(item.why)}</p>}
      </div>
      {isWaiting && mayChange && (
        <div class="buttons">
          <Step path={path} to="up" item={item} page={rest.page} isOff={rest.isFirst} />
          <Step path={path} to="down" item={item} page={rest.page} isOff={rest.isLast} />
          <Step path={path} to="first" item={item} page={rest.page} isOff={rest.isFirst} />
          {!rest.isOpen && (
            <a class="button quiet" href={`${POOLS}/${poolId}?${rest.page}&item=${item.id}#${id}`}>
              Change<span class="hidden">: {cut(item.title)}</span>
            </a>
          )}
          <details>
            <summary>
              Remove<span class="hidden">: {cut(item.title)}</span>
            </summary>
            <TeamForm action={`${path}/remove?${rest.page}`}>
              <Button tone="danger" label={`Remove from the queue: ${cut(item.title)}`}>
                Remove from the queue
              </Button>
            </TeamForm>
          </details>
        </div>
      )}
      {isWaiting && mayChange && rest.isOpen && (
        <TeamForm class="fields" action={`${path}?${rest.page}`}>
          <TextFields id={id} state={formState(id, rest.refused)} item={item} />
          <p class="row">
            <Button>Save the item</Button>
            <a class="button quiet" href={`${POOLS}/${poolId}?${rest.page}#${id}`}>
              Leave it
            </a>
          </p>
        </TeamForm>
      )}
    </li>
  );
};

const STEPS = { up: "Up", down: "Down", first: "To the top" } as const;

const Step = (props: {
  path: string;
  to: keyof typeof STEPS;
  item: Line;
  page: string;
  isOff: boolean;
}) => (
  <TeamForm action={`${props.path}/move?${props.page}`}>
    <button
      class="quiet"
      type="submit"
      name="to"
      value={props.to}
      disabled={props.isOff}
      aria-label={`${STEPS[props.to]}: ${cut(props.item.title)}`}
    >
      {STEPS[props.to]}
    </button>
  </TeamForm>
);

const Area = (props: {
  id: string;
  name: string;
  label: string;
  hint: string;
  rows: number;
  value: string;
  refusal: string | null;
}) => (
  <Field id={props.id} label={props.label} hint={props.hint}>
    <textarea
      id={props.id}
      name={props.name}
      rows={props.rows}
      dir="auto"
      {...(props.refusal
        ? { "aria-invalid": "true", "aria-describedby": `${props.id}-error` }
        : {})}
    >
      {props.value}
    </textarea>
    <ErrorOf id={props.id} message={props.refusal} />
  </Field>
);

const ErrorOf = ({ id, message }: { id: string; message: string | null }) =>
  message === null ? null : (
    <p class="error" id={`${id}-error`} role="alert">
      {message}
    </p>
  );

export const TextFields = (props: { id: string; state: FormState; item: Line | null }) => {
  const { id, state, item } = props;
  const comment = [item?.settings.first_comment].flat().at(-1) ?? "";
  const isVaried = state.isRefused
    ? ["repeat_days", "repeat_times", "variants"].some((name) => state.valueOf(name) !== "")
    : (item?.repeatDays ?? null) !== null;
  return (
    <>
      <InputField
        id={`${id}-title`}
        name="title"
        label="Title"
        required
        dir="auto"
        autocomplete="off"
        value={state.valueOf("title", item?.title)}
        refusal={state.errorOf("title")}
      />
      <Area
        id={`${id}-description`}
        name="description"
        label="Description"
        hint="optional; without one, the title is the text"
        rows={3}
        value={state.valueOf("description", item?.description ?? "")}
        refusal={state.errorOf("description")}
      />
      <Area
        id={`${id}-first_comment`}
        name="first_comment"
        label="First comment"
        hint="optional"
        rows={2}
        value={state.valueOf("first_comment", comment)}
        refusal={state.errorOf("first_comment")}
      />
      <details open={isVaried}>
        <summary>Publish it again and again</summary>
        <div class="fields">
          <p class="muted">
            The item returns to the end of the queue after each time. Leave both empty to publish it
            once.
          </p>
          <InputField
            id={`${id}-repeat_days`}
            name="repeat_days"
            label="Days between two times"
            inputmode="numeric"
            autocomplete="off"
            value={state.valueOf("repeat_days", String(item?.repeatDays ?? ""))}
            refusal={state.errorOf("repeat_days")}
          />
          <InputField
            id={`${id}-repeat_times`}
            name="repeat_times"
            label="How often in total"
            inputmode="numeric"
            autocomplete="off"
            value={state.valueOf("repeat_times", String(item?.repeatTimes ?? ""))}
            refusal={state.errorOf("repeat_times")}
          />
          <Area
            id={`${id}-variants`}
            name="variants"
            label="Other texts, which take turns"
            hint={`optional; a line with ${VARIANT_LINE} between two`}
            rows={5}
            value={state.valueOf("variants", joinVariants(item?.variants ?? null))}
            refusal={state.errorOf("variants")}
          />
        </div>
      </details>
    </>
  );
};
