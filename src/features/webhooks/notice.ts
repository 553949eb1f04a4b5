import type { Deps } from "../../deps.ts";
import { sendMail } from "../mail/service.ts";
import { type Notice, noteTold, noticesDue } from "./repo/webhooks.ts";
import { MAX_FAILURES } from "./rules.ts";

/** Mails sent by one page: each is a subrequest. */
const PAGE = 10;

/** Mails the owners of webhooks that were switched off by their failures. A mail may go out twice, never not. */
export async function tellOfDisabled(deps: Deps): Promise<null> {
  const [notices] = await deps.db.run([noticesDue(PAGE)]);
  for (const notice of notices) await sendMail(deps, toMail(notice));
  if (notices.length > 0) await deps.db.run([noteTold(notices.map(({ id }) => id))]);
  return null;
}

const toMail = ({ id, url, team, email }: Notice) => ({
  to: email,
  subject: "A webhook was switched off",
  text: `The webhook ${id} of ${team} was switched off: ${MAX_FAILURES} events in a row failed all their attempts.

${url}

Put the endpoint right and look at its log (GET /webhooks/${id}/deliveries). Then switch the webhook on again:

  PATCH /webhooks/${id} {"isActive": true}

What it missed can be replayed from the log, or read from GET /events for 30 days.`,
});
