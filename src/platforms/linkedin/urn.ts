export const personUrn = (sub: string): string => `urn:li:person:${sub}`;
export const organizationUrn = (id: string): string => `urn:li:organization:${id}`;

/** The number of an organization by its URN or by itself, or null. */
export const readOrganizationId = (text: string): string | null =>
  /^(?:urn:li:organization:)?(\d{1,20})$/.exec(text.trim())?.[1] ?? null;

export const isOrganization = (urn: string): boolean => urn.startsWith("urn:li:organization:");

/** The address of a post, by the URN that its creation was answered with. */
export const shareUrlOf = (urn: string): string => `https://www.linkedin.com/feed/update/${urn}/`;
