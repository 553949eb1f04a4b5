/** All imports of better-auth. Tests load them as one prebuilt file. */
import "./reflect.ts";

export { passkey } from "@better-auth/passkey";
export { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "better-auth/adapters";
export { APIError } from "better-auth/api";
export { betterAuth } from "better-auth/minimal";
export { magicLink } from "better-auth/plugins/magic-link";
