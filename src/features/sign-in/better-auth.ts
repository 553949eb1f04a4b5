/** All that is used of better-auth: the tests load it as one file, built before they start. */
export { passkey } from "@better-auth/passkey";
export { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "better-auth/adapters";
export { APIError } from "better-auth/api";
export { betterAuth } from "better-auth/minimal";
export { magicLink } from "better-auth/plugins/magic-link";
