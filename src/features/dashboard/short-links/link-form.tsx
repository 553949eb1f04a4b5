import type { Child } from "hono/jsx";
import { textField } from "../../../http/pages.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import type { LinkOnPage } from "../../links/own.ts";
import type { LinkDomain } from "../../links/repo/links.ts";
import { Field, InputField, SubmitLine } from "../form-parts.tsx";
import type { FieldRefusals } from "../marked-fields.ts";
import { SeenVersion } from "../seen-version.tsx";

export interface LinkFields {
  url: string;
  slug: string;
  domainId: string;
  title: string;
  description: string;
  imageUrl: string;
  safeUrl: string;
  useDeeplink: boolean;
  botProtection: boolean;
}

const TEXTS = ["url", "slug", "domainId", "title", "description", "imageUrl", "safeUrl"] as const;

export const NO_FIELDS: LinkFields = {
  url: "",
  slug: "",
  domainId: "",
  title: "",
  description: "",
  imageUrl: "",
  safeUrl: "",
  useDeeplink: false,
  botProtection: false,
};

export function readLinkForm(form: FormData): LinkFields {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, textField(form, name)]));
  return {
    ...NO_FIELDS,
    ...texts,
    useDeeplink: form.has("useDeeplink"),
    botProtection: form.has("botProtection"),
  };
}

export const fieldsOfLink = (link: LinkOnPage): LinkFields => ({
  url: link.destination,
  slug: link.slug,
  domainId: link.domainId === 0 ? "" : String(link.domainId),
  title: link.title ?? "",
  description: link.description ?? "",
  imageUrl: link.imageUrl ?? "",
  safeUrl: link.safeUrl ?? "",
  useDeeplink: link.useDeeplink,
  botProtection: link.botProtection,
});

export const toInput = (fields: LinkFields): object => ({
  ...fields,
  domainId: fields.domainId === "" ? null : Number(fields.domainId),
  title: fields.title || null,
  description: fields.description || null,
  imageUrl: fields.imageUrl || null,
  safeUrl: fields.safeUrl || null,
});

interface FormProps {
  action: string;
  /** The version that the form shows, of a link that exists. */
  seenAt?: Date;
  fields: LinkFields;
  refusals: FieldRefusals;
  domains: readonly LinkDomain[];
  ownHost: string;
  isNew?: boolean;
  children: Child;
}

export const LinkForm = ({
  action,
  seenAt,
  fields,
  refusals,
  isNew = false,
  ...rest
}: FormProps) => {
  const refusal = (name: string) => refusals.get(name) ?? null;
  const hasMore =
    refusals.size > 0 ||
    [fields.title, fields.description, fields.imageUrl, fields.safeUrl].some(Boolean) ||
    fields.useDeeplink ||
    fields.botProtection;
  return (
    <TeamForm class="fields" action={action} makes={isNew}>
      {seenAt && <SeenVersion at={seenAt} />}
      <InputField
        id="url"
        label="Where it leads"
        type="url"
        maxlength={2_048}
        placeholder="https://"
        required
        value={fields.url}
        refusal={refusal("url")}
      />
      <InputField
        id="slug"
        label="Short name"
        hint={isNew ? "optional; else we make one" : "the old address stops working"}
        maxlength={64}
        autocomplete="off"
        autocapitalize="none"
        value={fields.slug}
        refusal={refusal("slug")}
      />
      <DomainChoice {...rest} chosen={fields.domainId} refusal={refusal("domainId")} />
      <details open={hasMore}>
        <summary>Preview, apps and bots</summary>
        <div class="fields">
          <InputField
            id="title"
            label="Title"
            hint="of the preview in social networks; optional"
            maxlength={200}
            value={fields.title}
            refusal={refusal("title")}
          />
          <Field id="description" label="Description" hint="of the same preview; optional">
            <textarea
              id="description"
              name="description"
              rows={2}
              maxlength={500}
              {...(refusals.has("description") && {
                "aria-invalid": "true",
                "aria-describedby": "description-error",
              })}
            >
              {fields.description}
            </textarea>
            <FieldError id="description" refusal={refusal("description")} />
          </Field>
          <InputField
            id="imageUrl"
            label="Address of a picture"
            hint="of the same preview; optional"
            type="url"
            maxlength={2_048}
            placeholder="https://"
            value={fields.imageUrl}
            refusal={refusal("imageUrl")}
          />
          <label>
            <input type="checkbox" name="useDeeplink" value="true" checked={fields.useDeeplink} />
            On phones, open the app of the platform that the link leads to
          </label>
          <label>
            <input
              type="checkbox"
              name="botProtection"
              value="true"
              checked={fields.botProtection}
            />
            Send bots to another address, and do not count them
          </label>
          <InputField
            id="safeUrl"
            label="Address for bots"
            hint="needed for the box above"
            type="url"
            maxlength={2_048}
            placeholder="https://"
            value={fields.safeUrl}
            refusal={refusal("safeUrl")}
          />
        </div>
      </details>
      <SubmitLine>{rest.children}</SubmitLine>
    </TeamForm>
  );
};

export const FieldError = ({ id, refusal }: { id: string; refusal: string | null }) =>
  refusal === null ? null : (
    <p class="error" id={`${id}-error`} role="alert">
      {refusal}
    </p>
  );

interface DomainProps {
  domains: readonly LinkDomain[];
  ownHost: string;
  chosen: string;
  refusal: string | null;
}

const DomainChoice = ({ domains, ownHost, chosen, refusal }: DomainProps) => {
  const usable = domains.filter(({ id, verifiedAt }) => verifiedAt || String(id) === chosen);
  if (usable.length === 0 && refusal === null) return null;
  return (
    <Field id="domainId" label="Domain">
      <select
        id="domainId"
        name="domainId"
        {...(refusal && { "aria-invalid": "true", "aria-describedby": "domainId-error" })}
      >
        <option value="">{ownHost}</option>
        {usable.map(({ id, host, verifiedAt }) => (
          <option value={String(id)} selected={String(id) === chosen}>
            {host}
            {verifiedAt === null && " (not verified)"}
          </option>
        ))}
      </select>
      <FieldError id="domainId" refusal={refusal} />
    </Field>
  );
};
