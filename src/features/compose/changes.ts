export { editUpload } from "./edit.ts";
export { previewPosts } from "./preview.ts";
export { retryUpload } from "./retry.ts";
export { createSeries, type RefusedPost, type SeriesResult } from "./series.ts";
