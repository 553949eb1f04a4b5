import type { Child, JSX } from "hono/jsx";

interface FieldProps {
  id: string;
  label: string;
  /** In brackets behind the label. */
  hint?: string | undefined;
}

export const Field = ({ id, label, hint, children }: FieldProps & { children?: Child }) => (
  <div>
    <label for={id}>
      {label}
      {hint !== undefined && (
        <>
          {" "}
          <span class="hint">({hint})</span>
        </>
      )}
    </label>
    {children}
  </div>
);

export const InputField = ({
  id,
  label,
  hint,
  name = id,
  refusal = null,
  ...input
}: FieldProps & { refusal?: string | null } & JSX.IntrinsicElements["input"]) => (
  <Field id={id} label={label} hint={hint}>
    <input
      id={id}
      name={name}
      {...(refusal ? { "aria-invalid": "true", "aria-describedby": `${id}-error` } : {})}
      {...input}
    />
    {refusal && (
      <p class="error" id={`${id}-error`} role="alert">
        {refusal}
      </p>
    )}
  </Field>
);

export const Choice = (props: {
  name: string;
  label: string;
  chosen: string;
  options: readonly (readonly [value: string, text: string])[];
}) => (
  <Field id={props.name} label={props.label}>
    <select id={props.name} name={props.name}>
      {props.options.map(([value, text]) => (
        <option value={value} selected={value === props.chosen}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);

interface ButtonProps {
  tone?: "quiet" | "danger";
  /** Read aloud in place of the text. */
  label?: string;
  children: Child;
}

export const Button = ({ tone, label, children }: ButtonProps) => (
  <button class={tone} type="submit" aria-label={label}>
    {children}
  </button>
);

export const SubmitLine = ({ children }: { children: Child }) => (
  <p>
    <button type="submit">{children}</button>
  </p>
);
