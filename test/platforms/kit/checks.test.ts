import { expect, test } from "vitest";
import type { PostMedia } from "../../../src/platforms/connector.ts";
import { checksFor } from "../../../src/platforms/kit/checks.ts";

const checks = checksFor("Toynet", {
  mediaSupport: { kinds: ["image"], maxCount: 1, textOnly: false },
});

const media = (...kinds: PostMedia["kind"][]) => kinds.map((kind) => ({ kind }) as PostMedia);

test("documents are refused all at once", () => {
  expect(checks.noDocuments(media("image", "document", "document"), "send a photo")).toEqual([
    { field: "photo", message: "Toynet takes no documents; send a photo." },
  ]);
  expect(checks.noDocuments(media("image", "video"), "send a photo")).toEqual([]);
});

test("a document among other files is refused by its place", () => {
  expect(checks.document(1)).toEqual([
    { field: "photo", message: "File 2 is a document; Toynet takes images and videos." },
  ]);
});
