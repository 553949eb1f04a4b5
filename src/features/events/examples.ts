import { toFailureObject } from "../../core/failures.ts";
import type { EventData, EventName } from "./catalogue.ts";

interface Example<N extends EventName> {
  /** When it is sent, as the end of a sentence that begins with "When". */
  when: string;
  data: EventData<N>;
}

const upload = { uploadId: 14, platform: "pinterest" } as const;
const uploadOfAccount = { ...upload, accountId: "acc_pinterest" };
const account = { accountId: "acc_x", platform: "x", accountName: "Harbour News" } as const;
const metadata = {
  videoId: "520579101045877353",
  shareUrl: "https://www.pinterest.com/pin/520579101045877353/",
};
const failure = toFailureObject("account_disconnected");
const errorMessage = "The login has ended. Reconnect the account, then retry.";
const version = "9b1f0c";

/** Shown where people choose events. */
export const EXAMPLES: { readonly [N in EventName]: Example<N> } = {
  "upload.completed": {
    when: "a post is published",
    data: { ...uploadOfAccount, status: "completed", metadata },
  },
  "upload.failed": {
    when: "a post failed",
    data: { ...uploadOfAccount, status: "failed", errorMessage, failure },
  },
  "upload.part_failed": {
    when: "a part of a published thread failed",
    data: { ...uploadOfAccount, position: 2, kind: "post", errorMessage, failure },
  },
  "upload.scheduled": {
    when: "a post is planned",
    data: { ...uploadOfAccount, scheduledFor: "2026-12-01T09:00:00.000Z" },
  },
  "upload.cancelled": {
    when: "a post is cancelled",
    data: { ...uploadOfAccount, scheduledFor: "2026-12-01T09:00:00.000Z" },
  },
  "upload.edited": {
    when: "the text of a published post was changed",
    data: { ...uploadOfAccount, title: "Winter menu", description: "From Monday on.", metadata },
  },
  "upload.unpublished": {
    when: "a published post was taken down",
    data: { ...uploadOfAccount, unpublishedAt: "2026-12-02T09:00:00.000Z", metadata },
  },
  "upload.changes_requested": {
    when: "somebody asked for changes to a post",
    data: { ...upload, reviewedBy: "client", version, comment: "Please use the other picture." },
  },
  "upload.approved": {
    when: "a post is approved",
    data: { ...upload, reviewedBy: "team", version, scheduledFor: null },
  },
  "connected_account.connected": { when: "an account is connected", data: account },
  "connected_account.disconnected": { when: "an account is disconnected", data: account },
  "connected_account.expired": {
    when: "the login of an account ended",
    data: { ...account, reason: "X has withdrawn the permission." },
  },
  "connected_account.refresh_failed": {
    when: "the login of an account could not be renewed",
    data: { ...account, reason: "X did not answer." },
  },
  "subscription.created": {
    when: "the team gets a plan",
    data: { plan: "pro", previousPlan: null },
  },
  "subscription.updated": {
    when: "the plan of the team changes",
    data: { plan: "pro", previousPlan: "basic" },
  },
  "subscription.cancelled": {
    when: "the plan of the team is cancelled",
    data: { plan: null, previousPlan: "pro" },
  },
  "subscription.expired": {
    when: "the plan of the team ends",
    data: { plan: null, previousPlan: "pro" },
  },
  "suggestion.created": {
    when: "a suggestion is made",
    data: { suggestionId: 3, title: "A darker theme", status: "open" },
  },
  "suggestion.updated": {
    when: "a suggestion is answered",
    data: { suggestionId: 3, title: "A darker theme", status: "planned", previousStatus: "open" },
  },
  "team.invite": {
    when: "a person is invited",
    data: { inviteId: 5, email: "anna@example.com", role: "MEMBER" },
  },
  "webhook.ping": {
    when: "somebody presses “Send a test”",
    data: { webhookId: 1, message: "This is a test. Nothing happened." },
  },
  "security.login": {
    when: "a person signs in",
    data: { userId: 2, method: "passkey" },
  },
};
