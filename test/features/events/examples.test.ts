import { expect, test } from "vitest";
import { EVENTS } from "../../../src/features/events/catalogue.ts";
import { EXAMPLES } from "../../../src/features/events/examples.ts";

test.each(Object.entries(EXAMPLES))("the example of %s has the event's shape", (name, { data }) => {
  expect(EVENTS[name as keyof typeof EVENTS].parse(data)).toEqual(data);
});
