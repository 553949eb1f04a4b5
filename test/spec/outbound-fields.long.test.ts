import { FORBIDDEN } from "../support/forbidden-urls.ts";
import { loadOf } from "../support/load.ts";
import { testFields } from "./outbound-fields.ts";

testFields(FORBIDDEN.filter((_, i) => i % loadOf(3, 1) === 0));
