import type { Deps } from "../../deps.ts";

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/**
 * Links mailed to one address that may wait: those of invites, within 15 minutes, and those to sign in, until they
 * are used. Spec is silent: no mailbox is flooded through us.
 */
export const MAX_WAITING_LINKS = 5;

type Mailer = Pick<Deps, "config" | "email">;

/** Returns true when mail goes out. */
export const hasMailer = ({ config, email }: Mailer): boolean =>
  email !== null && config.emailFrom !== null;

/** Returns true when mail goes out, or is shown in place of that by the local server. */
export const canSendMail = (mailer: Mailer): boolean =>
  mailer.config.isDevelopment || hasMailer(mailer);

/** Sends a mail; answers false where none goes out. Without a way out, the local server logs it. */
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
  // Its text may hold what only the recipient should see: in production nobody else sees it.
  if (config.isDevelopment) log({ event: "mail.not_sent", to, subject, text });
  else log({ event: "mail.not_sent", subject });
  return false;
}
