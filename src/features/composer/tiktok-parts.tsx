import { connectorOf } from "../../platforms/registry.ts";
import { idOf, settingsOf } from "./content.ts";
import { Control, ErrorPlace, Select } from "./control.tsx";
import type { CreatorAnswer } from "./look-ups.ts";
import type { ShownAccount, View } from "./view.ts";
import { helpOf, labelOf, valueWords } from "./words.ts";

const MUSIC = "https://www.tiktok.com/legal/page/global/music-usage-confirmation/en";
const BRANDED = "https://www.tiktok.com/legal/page/global/bc-policy/en";

const SWITCHES = [
  ["comment", "Comments", "commentDisabled"],
  ["duet", "Duets", "duetDisabled"],
  ["stitch", "Stitches", "stitchDisabled"],
] as const;

/** In the fieldset, or in words of its own. */
const ELSEWHERE = [
  "privacy_level",
  "disable_comment",
  "disable_duet",
  "disable_stitch",
  "brand_content_toggle",
  "brand_organic_toggle",
];

/** @see https://developers.tiktok.com/doc/content-sharing-guidelines */
export const TikTok = ({ view, account }: { view: View; account: ShownAccount }) => {
  const { id } = account;
  const { fields } = view.content;
  const answer = view.lookUps.creators.get(id);
  const creator = typeof answer === "object" ? answer : null;
  const chosen = String(fields[`${id}.privacy_level`] ?? "");
  const isBranded = fields[`${id}.brand_content_toggle`] === "true";
  return (
    <fieldset data-tiktok={id} data-account-mode={account.mode}>
      <legend>{account.accountName} on TikTok</legend>
      <input type="hidden" name="creator" value={id} />
      <CreatorLine account={account} answer={answer} />
      <Control
        view={view}
        name={`${id}.privacy_level`}
        label="Who can see this post"
        hint="TikTok wants you to choose. Branded content cannot be for you alone."
      >
        {(attributes) => (
          <Select
            attributes={attributes}
            chosen={chosen}
            data-field="privacy_level"
            data-asked={id}
            options={[
              ["", creator ? "Choose one" : "Not known yet: ask TikTok first"],
              ...(creator?.privacyLevels ?? (chosen ? [chosen] : [])).map(
                (level) => [level, valueWords(level)] as const,
              ),
            ]}
          />
        )}
      </Control>
      <fieldset>
        <legend>Allow other people</legend>
        {SWITCHES.map(([name, words, disabled]) => (
          <label>
            <input
              type="checkbox"
              name={`${id}.allow_${name}`}
              value="true"
              data-field={`disable_${name}`}
              checked={fields[`${id}.disable_${name}`] === "false" && creator?.[disabled] !== true}
              disabled={creator?.[disabled] === true}
            />
            {words}
            {creator?.[disabled] === true ? " (switched off in the settings of TikTok)" : ""}
          </label>
        ))}
        <p class="hint">Duets and stitches are for videos.</p>
      </fieldset>
      <Disclosure view={view} id={id} />
      {settingsOf(connectorOf("tiktok"))
        .filter(({ name }) => !ELSEWHERE.includes(name))
        .map(({ name, info }) => (
          <Control
            view={view}
            name={`${id}.${name}`}
            label={labelOf(name, info)}
            hint={helpOf(info)}
          >
            {(attributes) =>
              info.type === "integer" ? (
                <input
                  {...attributes}
                  type="number"
                  min={info.minimum}
                  max={info.maximum}
                  value={String(fields[`${id}.${name}`] ?? "")}
                  data-field={name}
                />
              ) : (
                <Select
                  attributes={attributes}
                  data-field={name}
                  chosen={String(fields[`${id}.${name}`] ?? "")}
                  options={[
                    ["", "As usual"],
                    ...(info.values ?? ["true", "false"]).map(
                      (value) =>
                        [
                          value,
                          value === "true" ? "Yes" : value === "false" ? "No" : valueWords(value),
                        ] as const,
                    ),
                  ]}
                />
              )
            }
          </Control>
        ))}
      <p data-consent={id}>
        By posting, you agree to TikTok's{" "}
        {isBranded && (
          <>
            <a href={BRANDED}>Branded Content Policy</a> and{" "}
          </>
        )}
        <a href={MUSIC}>Music Usage Confirmation</a>.
      </p>
    </fieldset>
  );
};

const CreatorLine = ({
  account,
  answer,
}: {
  account: ShownAccount;
  answer: CreatorAnswer | undefined;
}) => {
  if (typeof answer !== "object") {
    return (
      <p class="muted" data-creator={account.id}>
        {answer ??
          "TikTok says who may see a post of this account, and what others may do with it. Ask it by the button below."}
      </p>
    );
  }
  const { nickname, username, avatarUrl, maxVideoSeconds } = answer;
  return (
    <p class="creator" data-creator={account.id} data-max-seconds={maxVideoSeconds ?? undefined}>
      {avatarUrl && <img class="face" src={avatarUrl} alt="" width="40" height="40" />}
      <span>
        Posts as <strong>{nickname ?? username ?? account.accountName}</strong>
        {username && nickname ? ` (@${username})` : ""}.
        {maxVideoSeconds !== null && ` A video may be up to ${maxVideoSeconds} seconds long.`}
      </span>
    </p>
  );
};

const Disclosure = ({ view, id }: { view: View; id: string }) => {
  const { fields } = view.content;
  const isOn = (name: string) => fields[`${id}.${name}`] === "true";
  const box = (name: string, words: string) => (
    <label>
      <input
        type="checkbox"
        name={`${id}.${name}`}
        id={idOf(`${id}.${name}`)}
        value="true"
        data-field={name}
        checked={isOn(name)}
        aria-describedby={`${idOf(`${id}.discloses`)}-error`}
      />
      <span>{words}</span>
    </label>
  );
  const isPaid = isOn("brand_content_toggle");
  return (
    <fieldset data-disclosure={id}>
      <legend>Commercial content</legend>
      {box("discloses", "This post promotes a brand, product or service")}
      {box("brand_organic_toggle", "Your brand: you promote yourself or your own business")}
      {box("brand_content_toggle", "Branded content: you promote another brand or a third party")}
      <p class="hint" data-label-note={id}>
        {isPaid
          ? "Your photo/video will be labeled as 'Paid partnership'."
          : isOn("brand_organic_toggle")
            ? "Your photo/video will be labeled as 'Promotional content'."
            : "Your brand: your photo/video will be labeled as 'Promotional content'. Branded content: it will be labeled as 'Paid partnership'."}{" "}
        This cannot be changed once your post is out.
      </p>
      <ErrorPlace view={view} control={`${id}.discloses`} />
      <ErrorPlace view={view} control={`${id}.brand_content_toggle`} />
    </fieldset>
  );
};
