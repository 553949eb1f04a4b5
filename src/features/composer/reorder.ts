import type { DraftContent } from "../drafts/table.ts";

/** Moves each file's numbers in the thread along with it. `order`: old numbers in their new order. */
function inOrder(content: DraftContent, order: readonly number[]): DraftContent {
  return {
    ...content,
    media: order.flatMap((at) => content.media[at] ?? []),
    thread: content.thread.map((part) => ({
      ...part,
      media: part.media.map((at) => order.indexOf(at)).filter((at) => at !== -1),
    })),
  };
}

function moved(content: DraftContent, from: number, to: number): DraftContent {
  const order = content.media.map((_, i) => i);
  const [other] = order.splice(to, 1, from);
  if (other === undefined) return content;
  order[from] = other;
  return inOrder(content, order);
}

/** What a button of the form does without script. An unknown button changes nothing. */
export function changed(content: DraftContent, action: string): DraftContent {
  if (action === "add-part") {
    return { ...content, thread: [...content.thread, { text: "", media: [] }] };
  }
  const [, name = "", number = ""] =
    /^(file-up|file-down|file-drop|drop-part)-(\d{1,3})$/.exec(action) ?? [];
  const at = Number(number);
  if (name === "drop-part") {
    return { ...content, thread: content.thread.filter((_, i) => i !== at - 1) };
  }
  if (!content.media[at]) return content;
  if (name === "file-up") return at === 0 ? content : moved(content, at, at - 1);
  if (name === "file-down") return moved(content, at, at + 1);
  if (name !== "file-drop") return content;
  return inOrder(
    content,
    content.media.map((_, i) => i).filter((i) => i !== at),
  );
}
