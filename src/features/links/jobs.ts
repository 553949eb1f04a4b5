import type { Deps } from "../../deps.ts";
import type { ClicksMessage, LinkClick } from "../../queue/messages.ts";
import { storeClicks } from "./repo/clicks.ts";

const isClick = (value: unknown): value is LinkClick =>
  Array.isArray(value) &&
  Number.isSafeInteger(value[0]) &&
  Number.isSafeInteger(value[1]) &&
  (value[2] === null || typeof value[2] === "string") &&
  typeof value[3] === "string" &&
  (value[4] === undefined || typeof value[4] === "string");

export function isClicks(body: unknown): body is ClicksMessage {
  const { kind, id, clicks } = (body ?? {}) as Partial<ClicksMessage>;
  return (
    kind === "clicks" && typeof id === "string" && Array.isArray(clicks) && clicks.every(isClick)
  );
}

/** A repeated message counts once. */
export async function handleClicks(
  { db }: Pick<Deps, "db">,
  messages: readonly ClicksMessage[],
): Promise<void> {
  const byId = new Map(messages.map((message) => [message.id, message]));
  await db.run([storeClicks([...byId.values()])]);
}
