import { createRouter, formRoute, success } from "../../http/route.ts";
import { importFormSchema, importOutcomeSchema, toImportAnswer } from "./schema.ts";

export const importRoutes = createRouter();

const importSheet = formRoute({
  method: "post",
  path: "/upload/import",
  tags: ["Uploads", "Extensions"],
  operationId: "importUploads",
  summary: "Make posts from a sheet",
  description:
    "Judges every row of a CSV file, and with `dryRun=false` makes the posts of the valid ones, at most 500 at once. Repeating the call makes no post twice: rows that were imported are `skipped`. A refused row does not stop the others.",
  scope: "posts:write",
  limit: "write",
  form: () => importFormSchema,
  responses: success(importOutcomeSchema, "The verdict on each row."),
});
importRoutes.openapi(importSheet, async (c) => {
  const { ctx } = c.var;
  const [{ readImportForm }, { importPosts }] = await Promise.all([
    import("./form.ts"),
    import("./service.ts"),
  ]);
  const request = await readImportForm(ctx, c.req.raw);
  return c.json(toImportAnswer(await importPosts(ctx, request), request.isDryRun), 200);
});
