import { AgreedTerms } from "../../pages/platform-terms.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import type { LoginForm } from "../../platforms/login.ts";
import { PLATFORM_NAMES } from "../../platforms/registry.ts";
import { MAX_IDENTIFIER } from "../connect/rules.ts";
import type { Offer } from "../connect/service.ts";
import { Choice, InputField, SubmitLine } from "./form-parts.tsx";

export const OFFER_STYLES = `
.offer { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
.list .more { flex: 1 1 100%; }
`;

export interface SentLogin {
  platform: string;
  values: Readonly<Record<string, string>>;
}

export const OfferList = ({ offers, sent }: { offers: readonly Offer[]; sent: SentLogin }) => (
  <ul class="list">
    {offers.map((offer) => (
      <OfferItem offer={offer} sent={sent} />
    ))}
  </ul>
);

const OfferItem = ({ offer, sent }: { offer: Offer; sent: SentLogin }) => {
  const { name, asks, refusal, isSimulated, forms, untilAudit, terms } = offer;
  return (
    <li>
      <div class="grow">
        <h3>{name}</h3>
        {asks !== null && <p class="muted">{asks}</p>}
        {asks !== null && refusal !== null && (
          <p class="why">It is not set up on this instance yet.</p>
        )}
        {untilAudit !== null && <p class="why">{untilAudit}</p>}
        {terms !== null && <AgreedTerms name={name} terms={terms} />}
      </div>
      {(refusal === null || isSimulated) && <ConsentForm offer={offer} />}
      {forms.map((form) => (
        <LoginFields offer={offer} form={form} sent={sent} />
      ))}
    </li>
  );
};

const ConsentForm = ({
  offer: { platform, type, name, identifierLabel, refusal, isSimulated },
}: {
  offer: Offer;
}) => (
  <TeamForm class="offer" action="/app/accounts/connect">
    <input type="hidden" name="platform" value={platform} />
    {type === "page" && <input type="hidden" name="type" value={type} />}
    {identifierLabel !== null && (
      <label>
        {identifierLabel}
        <input
          name="identifier"
          required
          maxlength={MAX_IDENTIFIER}
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
    )}
    {refusal === null && (
      <button type="submit" name="mode" value="live">
        Connect {name}
      </button>
    )}
    {isSimulated && (
      <button class="quiet" type="submit" name="mode" value="sandbox" formnovalidate>
        <span class="hidden">Connect {name} </span>In the sandbox
      </button>
    )}
  </TeamForm>
);

const LoginFields = ({
  offer: { platform, name: platformName, asks, refusal },
  form: { title, fields },
  sent,
}: {
  offer: Offer;
  form: LoginForm;
  sent: SentLogin;
}) => {
  const isSent = sent.platform === platform && fields.some(({ name }) => name in sent.values);
  return (
    <details class="more" open={isSent || (asks !== null && refusal !== null)}>
      <summary>{title}</summary>
      <TeamForm class="fields" action="/app/accounts">
        <input type="hidden" name="platform" value={platform} />
        {fields.map(({ name, label, hint, maxLength, isSecret, isOptional, isAddress }) => (
          <InputField
            id={`${platform}-${name}`}
            label={label}
            {...(hint === undefined ? {} : { hint })}
            name={name}
            type={isSecret ? "password" : isAddress ? "url" : "text"}
            required={!isOptional}
            maxlength={maxLength}
            {...(isAddress ? { placeholder: "https://" } : {})}
            value={isSecret || !isSent ? "" : (sent.values[name] ?? "")}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        ))}
        <SubmitLine>
          Connect<span class="hidden"> {platformName}</span> {title.toLowerCase()}
        </SubmitLine>
      </TeamForm>
    </details>
  );
};

export const SandboxForm = () => (
  <TeamForm class="fields" action="/app/accounts">
    <p>
      A sandbox account publishes to a simulated platform, to try things out. This makes one without
      a consent page.
    </p>
    <Choice name="platform" label="Platform" chosen="" options={[...PLATFORM_NAMES]} />
    <InputField id="name" label="Name" hint="optional" maxlength={100} autocomplete="off" />
    <SubmitLine>Create a sandbox account</SubmitLine>
  </TeamForm>
);
