import type { Deps } from "../../deps.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Per address: sign-in links, and invites of the last 15 minutes. Spec is silent: this protects mailboxes from
 * flooding.
 */
export const MAX_WAITING_LINKS = 5;

type Mailer = Pick<Deps, "config" | "email">;

export const hasMailer = ({ config, email }: Mailer): boolean =>
  email !== null && config.emailFrom !== null;

/** The development server logs mail instead of sending it. */
export const canSendMail = (mailer: Mailer): boolean =>
  mailer.config.isDevelopment || hasMailer(mailer);

export async function sendMail(
  deps: Pick<Deps, "config" | "email" | "log">,
  { to, subject, text }: Mail,
): Promise<boolean> {
  const { config, email, log } = deps;
  if (email && config.emailFrom) {
    try {
      await email.send({ from: config.emailFrom, to, subject, text });
      return true;
    } catch (error) {
      log({ event: "mail.failed", subject, error: String(error) });
      return false;
    }
  }
  // The text may hold a secret link.
  if (config.isDevelopment) log({ event: "mail.not_sent", to, subject, text });
  else log({ event: "mail.not_sent", subject });
  return false;
}
