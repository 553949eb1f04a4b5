import { TeamForm } from "../../../pages/team-form.tsx";
import { DEVICES, SYSTEMS } from "../../links/own.ts";
import { InputField } from "../form-parts.tsx";
import type { FieldRefusals } from "../marked-fields.ts";
import { SeenVersion } from "../seen-version.tsx";
import { FieldError } from "./link-form.tsx";
import type { RuleRow } from "./rule-rows.ts";
import {
  COUNTRY_NAMES,
  countryName,
  DEVICE_WORDS,
  languageName,
  RULE_TYPES,
  RULE_WORDS,
  SYSTEM_WORDS,
} from "./words.ts";

interface FormProps {
  action: string;
  seenAt: Date;
  rows: readonly RuleRow[];
  refusals: FieldRefusals;
  zone: string;
  isChanged: boolean;
}

export const RulesForm = ({ action, seenAt, rows, refusals, zone, isChanged }: FormProps) => (
  <TeamForm action={action} id="rules-form">
    <button type="submit" name="do" value="save" hidden>
      Save the rules
    </button>
    <input type="hidden" name="zone" value={zone} />
    <SeenVersion at={seenAt} />
    <FieldError id="rules" refusal={refusals.get("rules") ?? null} />
    {rows.length > 0 ? (
      <ol class="rules">
        {rows.map((row, i) => (
          <Rule row={row} place={i} count={rows.length} refusals={refusals} zone={zone} />
        ))}
      </ol>
    ) : (
      <p>There is no rule: everybody goes where the link leads.</p>
    )}
    <fieldset>
      <legend>Add a rule by</legend>
      <div class="adds">
        {RULE_TYPES.map((type) => (
          <button class="quiet" type="submit" name="do" value={`add:${type}`}>
            {RULE_WORDS[type]}
          </button>
        ))}
      </div>
    </fieldset>
    {rows.some(({ type }) => type === "geo") && (
      <datalist id="countries">
        {COUNTRY_NAMES.map(([, name]) => (
          <option value={name} />
        ))}
      </datalist>
    )}
    <p class="row">
      <button type="submit" name="do" value="save">
        Save the rules
      </button>
      <span class="muted" role="status" id="rules-state">
        {isChanged && "Changed, and not saved yet."}
      </span>
    </p>
  </TeamForm>
);

interface RuleProps {
  row: RuleRow;
  place: number;
  count: number;
  refusals: FieldRefusals;
  zone: string;
}

const Rule = ({ row, place, count, refusals, zone }: RuleProps) => {
  const number = place + 1;
  const name = (field: string) => `rules.${place}.${field}`;
  const refusal = (field: string) => refusals.get(name(field)) ?? null;
  const whole = refusals.get(`rules.${place}`) ?? null;
  return (
    <li data-rule>
      <fieldset {...(whole && { "aria-describedby": `rule-${place}-error` })}>
        <legend>
          Rule <span data-number>{number}</span>: {RULE_WORDS[row.type]}
        </legend>
        <input type="hidden" name={name("type")} value={row.type} />
        <FieldError id={`rule-${place}`} refusal={whole} />
        <Condition row={row} place={place} refusal={refusal} zone={zone} />
        <InputField
          id={`rule-${place}-destination`}
          name={name("destination")}
          label="Then to"
          type="url"
          maxlength={2_048}
          placeholder="https://"
          value={row.destination}
          refusal={refusal("destination")}
        />
        <div class="tools">
          <Move to="up" place={place} isEnd={place === 0} />
          <Move to="down" place={place} isEnd={number === count} />
          <button class="danger" type="submit" name="do" value={`remove:${place}`}>
            Remove
            <span class="hidden">
              {" "}
              rule <span data-number>{number}</span>
            </span>
          </button>
        </div>
      </fieldset>
    </li>
  );
};

const Move = ({ to, place, isEnd }: { to: "up" | "down"; place: number; isEnd: boolean }) => (
  <button class="quiet" type="submit" name="do" value={`${to}:${place}`} disabled={isEnd}>
    <span aria-hidden="true">{to === "up" ? "↑ " : "↓ "}</span>
    {to === "up" ? "Up" : "Down"}
    <span class="hidden">
      {" "}
      rule <span data-number>{place + 1}</span>
    </span>
  </button>
);

interface ConditionProps {
  row: RuleRow;
  place: number;
  refusal(field: string): string | null;
  zone: string;
}

const namesOf = (list: string, toName: (item: string) => string): string | undefined => {
  const names = list.split(",").flatMap((item) => (item.trim() ? [toName(item.trim())] : []));
  return names.length > 0 && names.length <= 40 ? names.join(", ") : undefined;
};

const Condition = ({ row, place, refusal, zone }: ConditionProps) => {
  const text = (field: string) => ({
    id: `rule-${place}-${field}`,
    name: `rules.${place}.${field}`,
    refusal: refusal(field),
    autocomplete: "off",
  });
  switch (row.type) {
    case "geo":
      return (
        <>
          <div class="pair">
            <InputField
              {...text("countryCodes")}
              label="Countries"
              hint="codes or names, with commas"
              value={row.countryCodes}
            />
            <InputField {...text("moreCountries")} label="One more" list="countries" />
          </div>
          <p class="muted">{namesOf(row.countryCodes, countryName)}</p>
        </>
      );
    case "device":
      return (
        <div class="pair">
          <Ticks
            legend="Devices"
            name={`rules.${place}.devices`}
            options={DEVICES.map((one) => [one, DEVICE_WORDS[one]])}
            chosen={row.devices}
            refusal={refusal("devices")}
          />
          <Ticks
            legend="Systems"
            name={`rules.${place}.os`}
            options={SYSTEMS.map((one) => [one, SYSTEM_WORDS[one]])}
            chosen={row.os}
            refusal={refusal("os")}
          />
        </div>
      );
    case "language":
      return (
        <>
          <InputField
            {...text("languages")}
            label="Languages"
            hint="codes with commas, such as de, pt-BR"
            value={row.languages}
          />
          <p class="muted">{namesOf(row.languages, languageName)}</p>
        </>
      );
    case "time":
      return (
        <div class="pair">
          <InputField
            {...text("startTime")}
            label="From"
            hint={zone}
            type="datetime-local"
            value={row.startTime}
          />
          <InputField
            {...text("endTime")}
            label="Until"
            hint={zone}
            type="datetime-local"
            value={row.endTime}
          />
          <input type="hidden" name={`rules.${place}.startAt`} value={row.startAt} />
          <input type="hidden" name={`rules.${place}.endAt`} value={row.endAt} />
        </div>
      );
    case "referer":
      return (
        <InputField
          {...text("referers")}
          label="Sites or words"
          hint="with commas, such as news.example.com, newsletter"
          value={row.referers}
        />
      );
    default:
      throw row.type satisfies never;
  }
};

interface TickProps {
  legend: string;
  name: string;
  options: readonly (readonly [value: string, text: string])[];
  chosen: readonly string[];
  refusal: string | null;
}

const Ticks = ({ legend, name, options, chosen, refusal }: TickProps) => (
  <fieldset>
    <legend>{legend}</legend>
    <div class="ticks">
      {options.map(([value, text]) => (
        <label>
          <input type="checkbox" name={name} value={value} checked={chosen.includes(value)} />
          {text}
        </label>
      ))}
    </div>
    <FieldError id={name} refusal={refusal} />
  </fieldset>
);
