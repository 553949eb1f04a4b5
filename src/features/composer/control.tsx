import type { Child } from "hono/jsx";
import { idOf } from "./content.ts";
import { errorsAt, nameOfAccount, type ShownError, type View } from "./view.ts";

interface ControlProps {
  view: View;
  name: string;
  label: Child;
  hint?: Child;
  /** Other places of the page that describe it. */
  children(attributes: Attributes): Child;
}

interface Attributes {
  id: string;
  name: string;
  "aria-describedby": string;
  "aria-invalid": "true" | undefined;
}

export function attributesOf(view: View, name: string, hasHint: boolean): Attributes {
  const id = idOf(name);
  return {
    id,
    name,
    "aria-describedby": hasHint ? `${id}-hint ${id}-error` : `${id}-error`,
    "aria-invalid": errorsAt(view, name).length > 0 ? "true" : undefined,
  };
}

export const Control = ({ view, name, label, hint, children }: ControlProps) => {
  const id = idOf(name);
  return (
    <div class="control">
      <label for={id}>{label}</label>
      {children(attributesOf(view, name, hint !== undefined))}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <ErrorPlace view={view} control={name} />
    </div>
  );
};

export const ErrorPlace = ({ view, control }: { view: View; control: string }) => {
  const errors = errorsAt(view, control);
  return (
    <p class="error" id={`${idOf(control)}-error`} hidden={errors.length === 0}>
      {[...new Set(errors.map((error) => wordsOf(view, error)))].join(" ")}
    </p>
  );
};

/** Names the account, unless the control is of that account alone. */
function wordsOf({ accounts, content }: View, { accountId, control, message }: ShownError): string {
  const account = accounts.find(({ id }) => id === accountId);
  const isNamed = account && content.accountIds.length > 1 && !control?.includes(account.id);
  return isNamed ? `${nameOfAccount(account)}: ${message}` : message;
}

interface SelectProps {
  attributes: Partial<Attributes>;
  chosen: string;
  options: readonly (readonly [value: string, text: string])[];
}

export const Select = ({
  attributes,
  chosen,
  options,
  ...rest
}: SelectProps & Record<string, unknown>) => (
  <select {...attributes} {...rest}>
    {options.map(([value, text]) => (
      <option value={value} selected={value === chosen}>
        {text}
      </option>
    ))}
  </select>
);
