import { test } from "vitest";
import { MEASURED } from "../../platforms/measured.ts";
import { expectMeasured } from "./nights.ts";

test.each(MEASURED)(
  "a post on %s is measured night by night, as ours",
  (platform, measured) => expectMeasured(platform, measured),
  60_000,
);
