import { expect, test } from "vitest";
import { boardOf, coverSeconds, settings } from "../../../src/platforms/pinterest/settings.ts";

const NOTHING = {
  pinterest_board_id: null,
  board_id: null,
  link: null,
  alt_text: null,
  pinterest_cover_time_ms: null,
};

test("fields that are not sent, or sent empty, are unset", () => {
  expect(settings.read({}).values).toEqual(NOTHING);
  const empty = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, " "]));
  expect(settings.read(empty).values).toEqual(NOTHING);
});

test("of a repeated field the last one counts, without blanks around it", () => {
  expect(
    settings.read({ link: ["https://a.example", " https://b.example "] }).values,
  ).toMatchObject({
    link: "https://b.example",
  });
});

test.each([
  [{ pinterest_board_id: "1" }, "1"],
  [{ board_id: "2" }, "2"],
  [{ pinterest_board_id: "1", board_id: "2" }, "1"],
  [{}, null],
])("%j names the board %s", (sent, board) => {
  expect(boardOf(settings.read(sent).values)).toBe(board);
});

test.each([
  [undefined, 0],
  ["0", 0],
  ["499", 0],
  ["500", 1],
  ["1499", 1],
  ["61000", 61],
])("a cover at %s ms is at %i seconds", (ms, seconds) => {
  expect(coverSeconds(settings.read({ pinterest_cover_time_ms: ms }).values)).toBe(seconds);
});
