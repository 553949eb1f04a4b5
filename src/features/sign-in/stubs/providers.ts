import * as z from "zod";

/** Stands in for better-auth's list of other sites to sign in through, by the alias in wrangler.toml. */
export const socialProviders = {};
export const SocialProviderListEnum = z.string();
