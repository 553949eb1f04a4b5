import { refusedUrl } from "../../core/url-policy.ts";
import type { PublishAccount } from "../login.ts";

/** Where an instance sends people who name no server, as Mastodon's own app does. */
export const USUAL_SERVER = "https://mastodon.social";

/** Takes a server's name or address, or a handle; null when it names no public server. */
export function serverOf(written: string | null): string | null {
  const text = (written ?? "").trim();
  if (text === "") return USUAL_SERVER;
  const host = text.includes("://") ? text : `https://${text.replace(/^.*@/, "")}`;
  return refusedUrl(host) === null ? new URL(host).origin : null;
}

/** An id means something on its own server alone. */
export const accountIdOf = (server: string, id: string): string => `${id}@${new URL(server).host}`;

export const idOf = ({ platformAccountId }: Pick<PublishAccount, "platformAccountId">): string =>
  platformAccountId.replace(/@.*$/, "");

export const serverOfAccount = ({ service }: Pick<PublishAccount, "service">): string => {
  if (service === null) throw new Error("An account of Mastodon has a server.");
  return service;
};
