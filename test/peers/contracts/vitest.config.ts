import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** The recorder of calls, in the Workers runtime of the tests. */
const config = mergeConfig(base, { test: { testTimeout: 180_000 } });
config.test.include = ["test/peers/contracts/record.test.ts"];

export default config;
