interface Address {
  name: string;
  url: string;
}

interface ShownTerms {
  service: Address;
  privacy: Address;
  access: Address;
}

/** Stands where an account of the platform is connected. */
export const AgreedTerms = ({
  name,
  terms: { service, privacy, access },
}: {
  name: string;
  terms: ShownTerms;
}) => (
  <p class="hint">
    By using {name} here you agree to be bound by <a href={service.url}>{service.name}</a>. See also{" "}
    <a href={privacy.url}>{privacy.name}</a>, and the <a href="/terms">terms</a> and the{" "}
    <a href="/privacy">privacy page</a> of this service. You can end its access at any time on{" "}
    <a href={access.url}>{access.name}</a>.
  </p>
);
