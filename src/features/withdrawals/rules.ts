export const withdrawnPath = (platform: string): string => `/oauth/withdrawn/${platform}`;

export const deletionRequestPath = (platform: string): string => `/oauth/data-deletion/${platform}`;
