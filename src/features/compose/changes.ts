export { editUpload } from "./edit.ts";
export { previewPosts } from "./preview.ts";
export { retryUpload } from "./retry.ts";
