export { editUpload } from "./edit.ts";
export { retryUpload } from "./retry.ts";
