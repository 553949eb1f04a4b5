import type { ClicksMessage, LinkClick } from "../../queue/messages.ts";

const isClick = (value: unknown): value is LinkClick =>
  Array.isArray(value) &&
  Number.isSafeInteger(value[0]) &&
  Number.isSafeInteger(value[1]) &&
  (value[2] === null || typeof value[2] === "string") &&
  typeof value[3] === "string";

export function isClicks(body: unknown): body is ClicksMessage {
  const { kind, id, clicks } = (body ?? {}) as Partial<ClicksMessage>;
  return (
    kind === "clicks" && typeof id === "string" && Array.isArray(clicks) && clicks.every(isClick)
  );
}
