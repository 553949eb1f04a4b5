import { expect, test } from "vitest";
import { describeBrowser } from "../../src/core/browsers.ts";

const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`${MAC} Version/26.0 Safari/605.1.15`, "Safari on macOS"],
  [`${WINDOWS} Chrome/150.0.0.0 Safari/537.36`, "Chrome on Windows"],
  [`${WINDOWS} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`, "Edge on Windows"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on Linux"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Safari/604.1", "Safari on iPhone"],
  ["something on Android", "A browser on Android"],
  ["curl/8.0", "An unknown browser"],
  [null, "An unknown browser"],
])("%s is %s", (userAgent, name) => {
  expect(describeBrowser(userAgent)).toBe(name);
});
