export const personUrn = (sub: string): string => `urn:li:person:${sub}`;
export const organizationUrn = (id: string): string => `urn:li:organization:${id}`;

export const readOrganizationId = (text: string): string | null =>
  /^(?:urn:li:organization:)?(\d{1,20})$/.exec(text.trim())?.[1] ?? null;

export const isOrganization = (urn: string): boolean => urn.startsWith("urn:li:organization:");

/** False for the file id that replaces a missing post id. */
export const isPost = (urn: string): boolean => /^urn:li:(share|ugcPost):/.test(urn);

export const shareUrlOf = (urn: string): string => `https://www.linkedin.com/feed/update/${urn}/`;
