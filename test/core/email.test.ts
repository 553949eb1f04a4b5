import { expect, test } from "vitest";
import { personOfAddress, toEmail } from "../../src/core/email.ts";

test.each([
  ["ada@example.com", "ada@example.com"],
  ["  Ada.L+tag@Example.COM ", "ada.l+tag@example.com"],
  ["a_b-c'd@sub.example.co.uk", "a_b-c'd@sub.example.co.uk"],
])("%j is an address", (text, email) => {
  expect(toEmail(text)).toBe(email);
});

test.each([
  "",
  "ada",
  "ada@",
  "@example.com",
  "ada@example",
  "ada@@example.com",
  "a b@example.com",
  "ada@exam ple.com",
  "ada@example..com",
  "ada@-example.com",
  "ada@example.com\nBcc: x@example.com",
  "Ada <ada@example.com>",
  "ada@example.com,bob@example.com",
  `${"a".repeat(65)}@example.com`,
  `ada@${"a.".repeat(130)}com`,
  "person-7@akimbo.invalid",
  "Deleted-7@Akimbo.invalid",
])("%j is none", (text) => {
  expect(toEmail(text)).toBeNull();
});

test.each([
  ["person-7@akimbo.invalid", 7],
  ["person-0@akimbo.invalid", null],
  ["person-7@akimbo.invalid.example.com", null],
  ["x-person-7@akimbo.invalid", null],
  ["deleted-7@akimbo.invalid", null],
])("%s stands for the person %s", (email, id) => {
  expect(personOfAddress(email)).toBe(id);
});
