import { test } from "vitest";
import { expectNotFollowed, FORBIDDEN_ADDRESSES } from "./redirects.ts";

test.each(FORBIDDEN_ADDRESSES)("a redirect to %s is not followed", expectNotFollowed);
