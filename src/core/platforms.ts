/** Name of a platform in rows and on the wire, such as `tiktok`; `platforms/registry.ts` lists them all. */
export type Platform = string;
