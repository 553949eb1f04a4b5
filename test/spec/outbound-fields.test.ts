import { FORBIDDEN } from "../support/forbidden-urls.ts";
import { testFields } from "./outbound-fields.ts";

testFields(FORBIDDEN.filter((_, i) => i % 20 === 0));
