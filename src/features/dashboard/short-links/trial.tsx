import { isBrokenText, isLongerThan } from "../../../core/text.ts";
import { parseInstant } from "../../../core/time.ts";
import type { ZoneClock } from "../../../core/zone.ts";
import type { Clock } from "../../../pages/times.tsx";
import {
  BROWSERS,
  COUNTRIES,
  type LinkOnPage,
  type Trial,
  type TriedVisitor,
} from "../../links/own.ts";
import { Choice, InputField } from "../form-parts.tsx";
import type { FieldRefusals } from "../marked-fields.ts";
import {
  BROWSER_WORDS,
  COUNTRY_NAMES,
  conditionOf,
  countryName,
  DEVICE_WORDS,
  languageName,
  RULE_WORDS,
  SYSTEM_WORDS,
} from "./words.ts";

const FIELDS = ["country", "browser", "language", "referer", "at", "bot"] as const;

type TrialFields = Record<(typeof FIELDS)[number], string>;

export interface TrialForm {
  fields: TrialFields;
  refusals: FieldRefusals;
  visitor: TriedVisitor | null;
}

const BOTS = [
  ["", "No"],
  ["crawler", "Yes, of a social network"],
  ["program", "Yes, another program"],
] as const;

const WALL = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})/;
const MAX_TEXT = 500;

export function readTrial(query: Record<string, string>, zone: ZoneClock, now: Date): TrialForm {
  const isSent = query.browser !== undefined;
  const fields = Object.fromEntries(
    FIELDS.map((name) => [name, (query[name] ?? "").trim()]),
  ) as TrialFields;
  if (fields.at === "") fields.at = zone.wallTimeAt(now.getTime());
  const refusals = new Map<string, string>();
  const [, day, time] = WALL.exec(fields.at) ?? [];
  if (!parseInstant(`${day}T${time}:00Z`)) {
    refusals.set("at", "Give a date that exists, and a time.");
  }
  const country = fields.country.toUpperCase();
  if (country !== "" && !COUNTRIES.has(country)) refusals.set("country", "Choose a country.");
  const browser = BROWSERS.find((one) => one === fields.browser);
  if (isSent && !browser) refusals.set("browser", "Choose a device.");
  for (const name of ["language", "referer"] as const) {
    if (isLongerThan(fields[name], MAX_TEXT) || isBrokenText(fields[name])) {
      refusals.set(name, `Give at most ${MAX_TEXT} characters.`);
    }
  }
  const bot = (["crawler", "program"] as const).find((one) => one === fields.bot) ?? null;
  const isGood = isSent && refusals.size === 0 && browser && day && time;
  if (!isGood) return { fields, refusals: isSent ? refusals : new Map(), visitor: null };
  const at = new Date(zone.instantOf(day, time).at);
  const { language, referer } = fields;
  const visitor = { browser, bot, country: country || null, language, referer, at };
  return { fields, refusals, visitor };
}

interface TryProps {
  path: string;
  form: TrialForm;
  zone: string;
}

export const TryForm = ({ path, form: { fields, refusals }, zone }: TryProps) => {
  const refusal = (name: string) => refusals.get(name) ?? null;
  return (
    <form class="filters visitor" method="get" action={`${path}#try`}>
      <Choice
        name="country"
        label="Country"
        chosen={fields.country}
        options={[["", "Unknown"], ...COUNTRY_NAMES]}
      />
      <Choice
        name="browser"
        label="Device and system"
        chosen={fields.browser}
        options={BROWSERS.map((one) => [one, BROWSER_WORDS[one]])}
      />
      <InputField
        id="language"
        label="Browser's languages"
        placeholder="de-AT, en"
        maxlength={MAX_TEXT}
        autocomplete="off"
        value={fields.language}
        refusal={refusal("language")}
      />
      <InputField
        id="at"
        label="Time"
        hint={zone}
        type="datetime-local"
        value={fields.at}
        refusal={refusal("at")}
      />
      <InputField
        id="referer"
        label="Coming from"
        placeholder="https://news.example.com/"
        maxlength={MAX_TEXT}
        autocomplete="off"
        value={fields.referer}
        refusal={refusal("referer")}
      />
      <Choice name="bot" label="Is it a bot?" chosen={fields.bot} options={BOTS} />
      <p class="row">
        <button type="submit">Try</button>
      </p>
    </form>
  );
};

interface AnswerProps {
  link: LinkOnPage;
  trial: Trial;
  clock: Clock;
}

export const TrialAnswer = ({ link, trial, clock }: AnswerProps) => {
  const { decision, isOff, opensApp } = trial;
  return (
    <div class="answer" role="status" id="answer" data-kind={decision.kind}>
      <Destination decision={decision} />
      <p>{reasonOf(link, trial, clock)}</p>
      {opensApp && <p>The app opens, where it is installed.</p>}
      {isOff && (
        <p>
          <strong>At the moment everybody gets “no such link”</strong>, because{" "}
          {link.isActive ? "the domain is not verified" : "the link is off"}.
        </p>
      )}
      <p class="muted">This visitor: {visitorOf(trial)}.</p>
      {link.rules.length > 1 && link.rules.length <= 100 && (
        <details>
          <summary>Every rule</summary>
          <ol>
            {link.rules.map((rule, i) => (
              <li>
                {RULE_WORDS[rule.type]}: {trial.fits[i] ? "fits" : "does not fit"}. It fits when{" "}
                {conditionOf(rule, clock)}.
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
};

const Destination = ({ decision: { kind, to } }: Pick<Trial, "decision">) => {
  if (kind === "circle") return <p>They get “no such link”.</p>;
  return (
    <p>
      {kind === "preview" ? "They read the preview of " : "They go to "}
      <strong class="away" data-to>
        {to}
      </strong>
    </p>
  );
};

function reasonOf(link: LinkOnPage, { decision, fits }: Trial, clock: Clock): string {
  switch (decision.kind) {
    case "circle":
      return `${decision.to} is a short link of this service, and links must not lead in a circle.`;
    case "preview":
      return "Social networks read the title, text and picture that you gave the link. Nobody is counted.";
    case "safe":
      return "It is a bot, and the link sends bots to this address. Nobody is counted.";
    case "person": {
      const place = decision.rule ? link.rules.indexOf(decision.rule) : -1;
      if (decision.rule) {
        return `Because of rule ${place + 1}: ${conditionOf(decision.rule, clock)}. It is the first rule that fits.`;
      }
      const { length } = fits;
      if (length === 0) return "The link has no rules.";
      return length === 1 ? "The rule does not fit." : `None of the ${length} rules fits.`;
    }
    default:
      throw decision satisfies never;
  }
}

function visitorOf({ facts: { country, device, system, language, referer } }: Trial): string {
  return [
    country === null ? "of an unknown country" : `from ${countryName(country)}`,
    `on a ${DEVICE_WORDS[device].toLowerCase()}`,
    system === null ? "with another system" : `with ${SYSTEM_WORDS[system]}`,
    language === null ? "no language" : `prefers ${languageName(language)}`,
    referer === null ? "no referring page" : `comes from ${referer}`,
  ].join(", ");
}
