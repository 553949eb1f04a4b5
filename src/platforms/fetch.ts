export type Fetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>;
