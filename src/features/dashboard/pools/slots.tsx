import type { Child } from "hono/jsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { clockOf, Time } from "../../../pages/times.tsx";
import type { AccountRow } from "../../accounts/table.ts";
import type { PoolView } from "../../pools/pages.ts";
import { Button, InputField } from "../form-parts.tsx";
import { Section } from "../parts.tsx";
import { POOLS } from "./list.tsx";
import { type FormState, formState, type RefusedForm } from "./refused.ts";
import { accountLabel, DAY_NAMES, daysInWords, shortAccountLabel, WEEK } from "./words.ts";

type Pool = PoolView["pool"];
type Slot = Pool["slots"][number];

interface SlotsProps {
  pool: Pool;
  accounts: readonly AccountRow[];
  /** The slot whose form is open. */
  open: string | null;
  refused: RefusedForm | null;
  mayChange: boolean;
}

const namesOf = (
  slot: Slot,
  accounts: readonly AccountRow[],
  label: (account: AccountRow) => string,
): string[] =>
  slot.accountIds.flatMap((id) => {
    const account = accounts.find((one) => one.id === id);
    return account ? [label(account)] : [];
  });

export const Slots = ({ pool, accounts, open, refused, mayChange }: SlotsProps) => {
  const slots = pool.slots.toSorted((a, b) => a.time.localeCompare(b.time) || a.id - b.id);
  const adding = formState("slot-new", refused);
  return (
    <Section id="slots" title="Slots">
      <p class="muted">
        At each slot, the first item of the queue goes to the accounts of the slot. Times are in{" "}
        {pool.timezone}.
      </p>
      {slots.length === 0 ? (
        <p>There is no slot yet, so nothing goes out.</p>
      ) : (
        <>
          <Grid slots={slots} accounts={accounts} />
          <ul class="list slots">
            {slots.map((slot) => {
              const id = `slot-${slot.id}`;
              const isOpen = mayChange && (open === String(slot.id) || refused?.id === id);
              const names = namesOf(slot, accounts, accountLabel);
              return (
                <li id={id}>
                  <div class="grow">
                    <p>
                      <span class="when">{slot.time}</span> {daysInWords(slot.days)}
                    </p>
                    <p class="muted">
                      {names.length > 0
                        ? names.join(", ")
                        : "No account is left, so this slot takes nothing. Change it."}
                      {slot.nextAt && (
                        <>
                          {" "}
                          · next <Time at={slot.nextAt} clock={clockOf(pool.timezone)} />
                        </>
                      )}
                      {slot.waitingSince && (
                        <>
                          {" "}
                          · waits, because none of its accounts can be used. Look at{" "}
                          <a href="/app/accounts">your accounts</a>.
                        </>
                      )}
                    </p>
                  </div>
                  {mayChange && !isOpen && (
                    <a class="button quiet" href={`${POOLS}/${pool.id}?slot=${slot.id}#${id}`}>
                      Change<span class="hidden"> the slot at {slot.time}</span>
                    </a>
                  )}
                  {mayChange && (
                    <details>
                      <summary>
                        Remove<span class="hidden"> the slot at {slot.time}</span>
                      </summary>
                      <TeamForm action={`${POOLS}/${pool.id}/slots/${slot.id}/remove`}>
                        <Button tone="danger" label={`Remove the slot at ${slot.time}`}>
                          Remove the slot
                        </Button>
                      </TeamForm>
                    </details>
                  )}
                  {isOpen && (
                    <TeamForm class="fields grow" action={`${POOLS}/${pool.id}/slots/${slot.id}`}>
                      <SlotFields
                        id={id}
                        state={formState(id, refused)}
                        slot={slot}
                        accounts={accounts}
                      />
                      <p class="row">
                        <Button>Save the slot</Button>
                        <a class="button quiet" href={`${POOLS}/${pool.id}#${id}`}>
                          Leave it
                        </a>
                      </p>
                    </TeamForm>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
      {mayChange && accounts.length === 0 && (
        <p>
          <a href="/app/accounts">Connect an account</a> first: a slot publishes to accounts.
        </p>
      )}
      {mayChange && accounts.length > 0 && (
        <details open={slots.length === 0 || adding.isRefused}>
          <summary>Add a slot</summary>
          <TeamForm class="fields" action={`${POOLS}/${pool.id}/slots`} makes>
            <SlotFields id="slot-new" state={adding} slot={null} accounts={accounts} />
            <p>
              <Button>Add the slot</Button>
            </p>
          </TeamForm>
        </details>
      )}
    </Section>
  );
};

const Grid = ({ slots, accounts }: { slots: readonly Slot[]; accounts: readonly AccountRow[] }) => (
  <table class="grid">
    <caption class="hidden">The week: the accounts of each slot</caption>
    <thead>
      <tr>
        <th scope="col">Time</th>
        {WEEK.map((day) => (
          <th scope="col">
            <abbr title={DAY_NAMES[day]}>{DAY_NAMES[day]?.slice(0, 3)}</abbr>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {[...Map.groupBy(slots, ({ time }) => time)].map(([time, own]) => (
        <tr>
          <th scope="row">{time}</th>
          {WEEK.map((day) => {
            const here = own.filter(({ days }) => days.includes(day));
            return (
              <td class={here.length > 0 ? "on" : undefined}>
                {here.map((slot) => (
                  <span>{shortNames(namesOf(slot, accounts, shortAccountLabel))}</span>
                ))}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  </table>
);

const SHOWN_NAMES = 2;

const shortNames = (names: readonly string[]): string => {
  if (names.length === 0) return "No account";
  const more = names.length - SHOWN_NAMES;
  const shown = names.slice(0, SHOWN_NAMES);
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
};

interface FieldsProps {
  id: string;
  state: FormState;
  slot: Slot | null;
  accounts: readonly AccountRow[];
}

const SlotFields = ({ id, state, slot, accounts }: FieldsProps) => {
  const days = state.valuesOf("days", slot?.days.map(String) ?? ["1", "2", "3", "4", "5"]);
  const [only] = accounts.length === 1 ? accounts : [];
  const chosen = state.valuesOf("accountIds", slot?.accountIds ?? (only ? [only.id] : []));
  return (
    <>
      <InputField
        id={`${id}-time`}
        name="time"
        label="Time"
        type="time"
        required
        value={state.valueOf("time", slot?.time ?? "09:00")}
        refusal={state.errorOf("time")}
      />
      <Checks id={`${id}-days`} legend="Days" class="days" refusal={state.errorOf("days")}>
        {WEEK.map((day) => (
          <label>
            <input type="checkbox" name="days" value={day} checked={days.includes(String(day))} />
            {DAY_NAMES[day]}
          </label>
        ))}
      </Checks>
      <Checks
        id={`${id}-accounts`}
        legend="Accounts"
        class="checks"
        refusal={state.errorOf("accountIds")}
      >
        {accounts.map((account) => (
          <label>
            <input
              type="checkbox"
              name="accountIds"
              value={account.id}
              checked={chosen.includes(account.id)}
            />
            {accountLabel(account)}
          </label>
        ))}
      </Checks>
    </>
  );
};

const Checks = (props: {
  id: string;
  legend: string;
  class: string;
  refusal: string | null;
  children?: Child;
}) => (
  <fieldset {...(props.refusal ? { "aria-describedby": `${props.id}-error` } : {})}>
    <legend>{props.legend}</legend>
    <div class={props.class}>{props.children}</div>
    {props.refusal && (
      <p class="error" id={`${props.id}-error`} role="alert">
        {props.refusal}
      </p>
    )}
  </fieldset>
);
