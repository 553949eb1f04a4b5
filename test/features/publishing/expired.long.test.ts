import { test } from "vitest";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import { expectExpired } from "./lost-account.ts";

test.each(PLATFORMS.map((platform) => [platform]))(
  "an account of %s is expired with the failure, and stays refused until it is reconnected",
  expectExpired,
  60_000,
);
