/** The object of a logo. Not under `media/`, where every object without a file is removed. */
export const logoKeyOf = (teamId: number, key: string): string => `branding/${teamId}/${key}`;

/** The path of a logo: that of its object, whose key nobody can guess. */
export const logoPath = ({ objectKey }: { objectKey: string }): string => `/${objectKey}`;
