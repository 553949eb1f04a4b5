import { connectors } from "../../platforms/registry.ts";
import type { PlatformTerms } from "../../platforms/terms.ts";
import { Section } from "./parts.tsx";

export const Contact = ({ name, link }: { name: string | null; link: string | null }) => {
  if (!name && !link) return <p>Ask the person who gave you access to this instance.</p>;
  return <p>This instance is run by {link ? <a href={link}>{name ?? link}</a> : name}.</p>;
};

const SHOWN = connectors().flatMap(({ platform, name, terms }) =>
  terms ? [{ platform, name, terms }] : [],
);

const Access = ({ terms: { access } }: { terms: PlatformTerms }) => (
  <>
    You end the access of this service at any time: disconnect the account here, which removes its
    login and its figures at once, or go to <a href={access.url}>{access.name}</a>.
  </>
);

/** One section for each platform that wants its terms named. */
export const PlatformSections = () =>
  SHOWN.map(({ platform, name, terms }) => (
    <Section id={platform} title={name}>
      <p>
        This service uses {terms.api}. By using it with {name}, you agree to be bound by{" "}
        <a href={terms.service.url}>{terms.service.name}</a>.{" "}
        <a href={terms.privacy.url}>{terms.privacy.name}</a> applies too.
      </p>
      <p>
        <Access terms={terms} />
      </p>
    </Section>
  ));

export const PlatformPrivacy = () =>
  SHOWN.map(({ platform, name, terms }) => (
    <Section id={platform} title={name}>
      <p>
        This service uses {terms.api}: with the permission of the person who connects an account, it{" "}
        {terms.uses}. <a href={terms.privacy.url}>{terms.privacy.name}</a> and{" "}
        <a href={terms.service.url}>{terms.service.name}</a> apply too.
      </p>
      <p>
        <Access terms={terms} />
      </p>
    </Section>
  ));
