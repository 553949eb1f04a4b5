import type { Platform } from "../../core/platforms.ts";
import type { FieldInfo } from "../../platforms/kit/form-fields.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { Section } from "../dashboard/parts.tsx";
import { controlName, idOf, type Setting, settingsOf } from "./content.ts";
import { Control, ErrorPlace, Select } from "./control.tsx";
import { TikTok } from "./tiktok-parts.tsx";
import {
  accountsOn,
  errorsAt,
  isChosen,
  platformsOf,
  type ShownAccount,
  type View,
} from "./view.ts";
import { CATEGORIES, helpOf, labelOf, valueWords } from "./words.ts";

export const Settings = ({ view }: { view: View }) => (
  <Section id="settings" title="Settings">
    <p class="muted">
      Of the platforms whose accounts are chosen. What is left empty is as the platform has it by
      default.
    </p>
    {platformsOf(view).map((platform) => (
      <PlatformSettings view={view} platform={platform} />
    ))}
    <p>
      <button class="quiet" type="submit" name="do" value="lookup">
        Ask the platforms for boards and for what TikTok allows
      </button>
    </p>
  </Section>
);

/** Their questions have no default. */
const ASKED: readonly Platform[] = ["tiktok", "youtube", "pinterest"];

const isFilled = (view: View, control: string): boolean =>
  view.content.fields[control] !== undefined || errorsAt(view, control).length > 0;

const PlatformSettings = ({ view, platform }: { view: View; platform: Platform }) => {
  const connector = connectorOf(platform);
  const accounts = accountsOn(view, platform);
  const isAsked = ASKED.includes(platform) && accounts.some((account) => isChosen(view, account));
  const controls = accounts.flatMap((account) =>
    settingsOf(connector).map((setting) => controlName(setting, account)),
  );
  const isOpen = isAsked || controls.some((control) => isFilled(view, control));
  const settings = settingsOf(connector);
  return (
    <details class="platform" data-platform={platform} open={isOpen}>
      <summary>{connector.name}</summary>
      {platform === "tiktok" ? (
        accounts.map((account) => <TikTok view={view} account={account} />)
      ) : (
        <fieldset>
          <legend>{connector.name}</legend>
          {settings.flatMap((setting) =>
            setting.isOfAccount
              ? accounts.map((account) => (
                  <SettingControl
                    view={view}
                    setting={setting}
                    account={account}
                    platform={platform}
                  />
                ))
              : [<SettingControl view={view} setting={setting} platform={platform} />],
          )}
          {connector.terms && (
            <p class="hint">
              By publishing you agree to{" "}
              <a href={connector.terms.service.url}>{connector.terms.service.name}</a>.
            </p>
          )}
        </fieldset>
      )}
    </details>
  );
};

interface SettingProps {
  view: View;
  setting: Setting;
  platform: Platform;
  account?: ShownAccount;
}

export const textOf = (value: string | string[] | undefined): string =>
  [value ?? ""].flat().join(", ");

const SettingControl = ({ view, setting, platform, account }: SettingProps) => {
  const { name, info } = setting;
  const control = controlName(setting, { id: account?.id ?? "", platform });
  const value = view.content.fields[control];
  const own = labelOf(name, info);
  const label = account ? `${own} of ${account.accountName}` : own;
  if (name === "selfDeclaredMadeForKids") {
    return <MadeForKids view={view} control={control} value={textOf(value)} info={info} />;
  }
  if (info.type === "array" && info.values) {
    return (
      <Several view={view} control={control} name={name} value={[value ?? []].flat()} info={info} />
    );
  }
  const boards =
    account && name === "pinterest_board_id" ? view.lookUps.boards.get(account.id) : undefined;
  const boardRefusal = typeof boards === "string" ? boards : null;
  const options = Array.isArray(boards)
    ? boards.map((board) => [board.id, board.name] as const)
    : name === "categoryId"
      ? CATEGORIES
      : optionsOf(info);
  return (
    <Control
      view={view}
      name={control}
      label={label}
      hint={[
        name === "pinterest_board_id"
          ? `The board that the pin goes onto${Array.isArray(boards) ? "" : ", or its id in digits"}.`
          : helpOf(info),
        boardRefusal,
      ]
        .filter(Boolean)
        .join(" ")}
    >
      {(attributes) =>
        options ? (
          <Select
            attributes={attributes}
            chosen={textOf(value)}
            options={[["", account ? "Choose one" : "As usual"], ...options]}
            data-field={name}
            {...(account ? { "data-boards": account.id, "data-asked": account.id } : {})}
          />
        ) : (
          <input
            {...attributes}
            type={info.type === "integer" ? "number" : "text"}
            min={info.minimum}
            max={info.maximum}
            value={textOf(value)}
            data-field={name}
            {...(account ? { "data-boards": account.id, "data-asked": account.id } : {})}
          />
        )
      }
    </Control>
  );
};

function optionsOf({ type, values }: FieldInfo) {
  if (type === "boolean")
    return [
      ["true", "Yes"],
      ["false", "No"],
    ] as const;
  return values?.map((value) => [value, valueWords(value)] as const) ?? null;
}

const Several = (props: {
  view: View;
  control: string;
  name: string;
  value: string[];
  info: FieldInfo;
}) => {
  const { view, control, name, value, info } = props;
  return (
    <fieldset aria-describedby={`${idOf(control)}-error`}>
      <legend>{labelOf(name, info)}</legend>
      <div class="checks">
        {(info.values ?? []).map((one) => (
          <label>
            <input
              type="checkbox"
              name={control}
              value={one}
              checked={value.includes(one)}
              data-field={name}
            />
            {valueWords(one)}
          </label>
        ))}
      </div>
      <ErrorPlace view={view} control={control} />
    </fieldset>
  );
};

const MadeForKids = (props: { view: View; control: string; value: string; info: FieldInfo }) => {
  const { view, control, value, info } = props;
  const id = idOf(control);
  return (
    <fieldset id={id} aria-describedby={`${id}-hint ${id}-error`} data-asked="youtube">
      <legend>{labelOf(control, info)}</legend>
      {[
        ["true", "Yes, it is made for kids"],
        ["false", "No, it is not made for kids"],
      ].map(([one, words]) => (
        <label>
          <input
            type="radio"
            name={control}
            value={one}
            checked={value === one}
            data-field={control}
            aria-invalid={errorsAt(view, control).length > 0 ? "true" : undefined}
          />
          {words}
        </label>
      ))}
      <p class="hint" id={`${id}-hint`}>
        YouTube requires an answer for every video, by the law on children's privacy.
      </p>
      <ErrorPlace view={view} control={control} />
    </fieldset>
  );
};
