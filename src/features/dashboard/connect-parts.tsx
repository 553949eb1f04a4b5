import { AgreedTerms } from "../../pages/platform-terms.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { PLATFORM_NAMES } from "../../platforms/registry.ts";
import { MAX_IDENTIFIER } from "../connect/rules.ts";
import type { Offer } from "../connect/service.ts";
import { Choice, InputField, SubmitLine } from "./form-parts.tsx";

export const OFFER_STYLES = `
.offer { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
.list .more { flex: 1 1 100%; }
`;

export interface SentLogin {
  identifier: string;
  service: string;
}

export const OfferList = ({ offers, sent }: { offers: readonly Offer[]; sent: SentLogin }) => (
  <ul class="list">
    {offers.map((offer) => (
      <OfferItem offer={offer} sent={sent} />
    ))}
  </ul>
);

const OfferItem = ({ offer, sent }: { offer: Offer; sent: SentLogin }) => {
  const { name, asks, refusal, isSimulated, takesPassword, untilAudit, terms } = offer;
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
      {takesPassword && <PasswordForm offer={offer} sent={sent} />}
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

const PasswordForm = ({
  offer: { platform, refusal },
  sent,
}: {
  offer: Offer;
  sent: SentLogin;
}) => (
  <details class="more" open={refusal !== null || sent.identifier !== ""}>
    <summary>By an app password</summary>
    <TeamForm class="fields" action="/app/accounts">
      <input type="hidden" name="platform" value={platform} />
      <InputField
        id="handle"
        label="Handle"
        name="identifier"
        required
        maxlength={MAX_IDENTIFIER}
        value={sent.identifier}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <InputField
        id="app-password"
        label="App password"
        hint="made in the settings there, for this service alone"
        name="appPassword"
        type="password"
        required
        maxlength={100}
        autocomplete="off"
      />
      <InputField
        id="service"
        label="Server"
        hint="only where it is not the usual one"
        type="url"
        maxlength={2048}
        placeholder="https://"
        value={sent.service}
        autocomplete="off"
      />
      <SubmitLine>Connect by the password</SubmitLine>
    </TeamForm>
  </details>
);

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
