export { editUpload } from "./edit.ts";
export { previewPosts } from "./preview.ts";
export { retryUpload } from "./retry.ts";
export { createSeries, type SeriesResult } from "./series.ts";
