import { describe, expect, test } from "vitest";
import { linkedin } from "../../../src/platforms/linkedin/index.ts";
import { escapeLittleText, readLittleText } from "../../../src/platforms/linkedin/little-text.ts";
import { toCommentMessage } from "../../../src/platforms/linkedin/mentions.ts";
import { styleText, withoutMarks } from "../../../src/platforms/linkedin/styling.ts";
import { readCommentary } from "../../../src/sandbox/linkedin/little-text.ts";
import { openStage } from "../../support/stage.ts";
import { pageOf } from "./row.ts";
import { post } from "./scripted.ts";

const URN = "urn:li:organization:2414183";
const PERSON = "urn:li:person:Ab-1_c";

const NAMES = [
  "Acme",
  "Foo [Bar] (Inc.)",
  "a_b*c*d ~ {e|f} <g> #h @i \\j",
  "**Bold** & Söhne",
  "👩‍👩‍👧 名前",
  "\u202Eעברית",
  "<b>x</b>",
  "n".repeat(400),
];

describe.each(NAMES)("the name %j", (name) => {
  const text = `*By* @[${name}](${URN}), (c)`;

  test("stands in a mention, escaped, and is shown as it is", () => {
    const commentary = escapeLittleText(styleText(text));
    expect(readCommentary(commentary)).toEqual({
      text: `𝘉𝘺 ${name}, (c)`,
      mentions: [{ name, urn: URN }],
    });
    expect(readLittleText(commentary)).toBe(`𝘉𝘺 ${name}, (c)`);
  });

  test("keeps its letters inside a style", () => {
    const styled = styleText(`**By @[${name}](${URN}) now**`);
    expect(styled).toBe(`𝗕𝘆 @[${name}](${URN}) 𝗻𝗼𝘄`);
    expect(withoutMarks(`**By @[${name}](${URN})**`)).toBe(`By @[${name}](${URN})`);
  });

  test("has its place in a comment", () => {
    const { text: shown, attributes } = toCommentMessage(`😀 @[${name}](${URN}) and ${name}`);
    expect(shown).toBe(`😀 ${name} and ${name}`);
    expect(attributes).toEqual([
      { start: 3, length: name.length, value: { organization: { organization: URN } } },
    ]);
    expect(shown.slice(3, 3 + name.length)).toBe(name);
  });
});

test("a comment mentions people and pages in their order", () => {
  expect(toCommentMessage(`@[Ada](${PERSON}) @[Acme](${URN})`)).toEqual({
    text: "Ada Acme",
    attributes: [
      { start: 0, length: 3, value: { person: { person: PERSON } } },
      { start: 4, length: 4, value: { organization: { organization: URN } } },
    ],
  });
  expect(toCommentMessage("Nobody")).toEqual({ text: "Nobody" });
});

const errorsOf = (description: string) =>
  linkedin.check(post({ description }), { now: new Date() });

test.each([
  ["urn:li:organization:acme", /mentions no urn:li:organization:acme.*Write urn:li:organization:/],
  ["urn:li:share:1", /mentions no urn:li:share:1/],
  ["urn:li:organization:", /mentions no/],
  ["urn:isbn:1", /mentions no urn:isbn:1/],
])("the URN %s is refused", async (urn, message) => {
  expect(await errorsOf(`By @[Acme](${urn})`)).toEqual([
    { field: "description", message: expect.stringMatching(message) },
  ]);
});

test.each([
  [`By @[ ](${URN})`, /has no name/],
  [`By @[A @[B](${URN})](${URN})`, /inside the name of another/],
  [`@[${"n".repeat(3_001)}](${URN})`, /^Shorten the description/],
  [`${"a".repeat(2_970)} @[Acme](${URN})`, /italic, and with the URNs of its mentions\.$/],
  [`${"_".repeat(1_490)} @[Acme](${URN})`, /~, and with the URNs of its mentions\.$/],
])("the text %#: is refused", async (text, message) => {
  const [error] = await errorsOf(text);
  expect(error).toEqual({ field: "description", message: expect.stringMatching(message) });
});

test("the text that reviewers see has the names", async () => {
  const { text } = await linkedin.likeness(post({ description: `**Hi** @[A [b]](${URN})` }));
  expect(text).toBe("𝗛𝗶 A [b]");
});

test("a post is published with its mention, and the network shows it", async () => {
  const stage = await openStage("linkedin");
  const { upload, feed } = await stage.publish({
    description: `Thanks, @[Foo (Inc.)](${URN})!`,
    first_comment: `And @[Ada](${PERSON}) too`,
  });
  expect(upload).toMatchObject({ status: "completed" });
  expect(upload.metadata.warnings).toBeUndefined();
  expect(feed).toMatchObject([
    {
      text: "Thanks, Foo (Inc.)!",
      fields: {
        commentary: `Thanks, @[Foo \\(Inc.\\)](${URN})\\!`.replace("\\!", "!"),
        mentions: [{ name: "Foo (Inc.)", urn: URN }],
      },
      comments: [{ text: "And Ada too" }],
    },
  ]);
});

test("a comment with a mention whose answer is lost is found, and goes out once", async () => {
  const stage = await openStage("linkedin", { pageOf });
  let isLost = false;
  const { upload, feed } = await stage.publish(
    { description: "Look", first_comment: `By @[Acme](${URN})` },
    async ({ request, url }, answer) => {
      const response = await answer();
      const isComment = request.method === "POST" && url.pathname.endsWith("/comments");
      if (!isComment || isLost) return response;
      isLost = true;
      throw new Error("The connection broke.");
    },
  );
  expect(isLost).toBe(true);
  expect(upload).toMatchObject({ parts: [{ status: "completed" }] });
  expect(feed[0].comments).toMatchObject([{ text: "By Acme" }]);
});

test("a wrong mention in a comment is refused, and nothing goes out", async () => {
  const stage = await openStage("linkedin");
  const refused = await stage.send({ description: "Look", first_comment: "@[A](urn:li:job:1)" });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      errors: [{ field: "first_comment", message: expect.stringContaining("urn:li:job:1") }],
    },
  });
});
