export { accountTagsSchema } from "../accounts/schema.ts";
export { setAccountTags } from "../accounts/service.ts";
export {
  approveOwnUpload,
  requestOwnChanges,
  submitOwnUpload,
} from "../approval/decide.ts";
export { editUpload, retryUpload } from "../compose/changes.ts";
export { createLink } from "../connect/link-service.ts";
export { newAccountSchema, newLinkSchema } from "../connect/schema.ts";
export { connectAccount } from "../connect/service.ts";
export { disconnectAccount } from "../disconnect/service.ts";
export { deleteUpload } from "../ending/service.ts";
export { newReportSchema, toNewReport } from "../reports/schema.ts";
export { createReport, revokeReport } from "../reports/service.ts";
export { createReviewLink, withdrawReviewLink } from "../review/service.ts";
export { settingsChangeSchema } from "../settings/schema.ts";
export { changeSettings } from "../settings/service.ts";
export { newSuggestionSchema } from "../suggestions/schema.ts";
export { createSuggestion } from "../suggestions/service.ts";
export { unpublishUpload } from "../unpublishing/service.ts";
export { newWebhookSchema } from "../webhooks/schema.ts";
export {
  createWebhook,
  deleteWebhook,
  replayDelivery,
  replayFailed,
  rotateSecret,
  switchWebhook,
  testWebhook,
} from "../webhooks/service.ts";
