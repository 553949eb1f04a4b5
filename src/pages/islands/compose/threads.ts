import { all, byId, make, makeButton, say, sectionOf } from "./page.ts";

const list = byId("parts");

const parts = (): HTMLElement[] => all("li.part", list);
const textOf = (part: HTMLElement | undefined): HTMLTextAreaElement | null =>
  part?.querySelector("textarea") ?? null;

const fileParts = (): HTMLSelectElement[] =>
  all<HTMLSelectElement>("select[name=mediaPart], select[data-name=mediaPart]");

/** The first of the list is the second post of the thread. */
function renumber(): void {
  parts().forEach((part, i) => {
    const [area, label] = [textOf(part), part.querySelector("label")];
    const drop = part.querySelector<HTMLButtonElement>("button[name=do]");
    const counts = part.querySelector("[id$=-counts]");
    const post = `post ${i + 2}`;
    const id = `thread-${i + 1}`;
    if (area) area.id = id;
    if (label) {
      label.htmlFor = id;
      label.textContent = `P${post.slice(1)}`;
    }
    if (drop) {
      drop.value = `drop-part-${i + 1}`;
      drop.textContent = `Remove ${post}`;
    }
    if (counts) counts.id = `${id}-counts`;
    for (const button of all<HTMLButtonElement>(".moves button", part)) {
      button.ariaLabel = `${button.textContent}: ${post}`;
    }
  });
  fillFileParts();
}

export function fillFileParts(): void {
  const count = parts().length;
  for (const select of fileParts()) {
    for (const one of [select, select.labels[0]]) if (one) one.hidden = count === 0;
  }
  for (const select of fileParts()) {
    while (select.options.length > count + 1) select.options[select.options.length - 1]?.remove();
    while (select.options.length < count + 1) {
      const number = select.options.length;
      select.add(
        make("option", {
          value: String(number),
          textContent: number === 0 ? "the first post" : `post ${number + 1}`,
        }),
      );
    }
  }
}

function makePart(): HTMLElement {
  const area = make("textarea", { name: "thread", id: "thread-0", rows: 3, dir: "auto" });
  area.setAttribute("aria-describedby", "thread-error");
  const label = make("label", { htmlFor: area.id, textContent: "Post 0" });
  const drop = make("button", {
    type: "submit",
    name: "do",
    value: "drop-part-0",
    className: "quiet",
    textContent: "Remove",
  });
  return make("li", { className: "part" }, label, area, drop);
}

function setParts(texts: readonly string[]): void {
  if (!list) return;
  while (parts().length > texts.length) parts().at(-1)?.remove();
  while (parts().length < texts.length) list.append(makePart());
  parts().forEach((part, i) => {
    const area = textOf(part);
    if (area && area.value !== texts[i]) area.value = texts[i] ?? "";
  });
  renumber();
}

const texts = (): string[] => parts().map((part) => textOf(part)?.value ?? "");

function swap(at: number, other: number, changed: () => void): void {
  const all = texts();
  if (other < 0 || other >= all.length) return;
  [all[at], all[other]] = [all[other] ?? "", all[at] ?? ""];
  setParts(all);
  for (const select of fileParts()) {
    if (select.value === String(at + 1)) select.value = String(other + 1);
    else if (select.value === String(other + 1)) select.value = String(at + 1);
  }
  say(`This post is now number ${other + 2} of ${all.length + 1}.`);
  changed();
}

function drop(at: number, changed: () => void): void {
  const left = texts().filter((_, i) => i !== at);
  for (const select of fileParts()) {
    const part = Number(select.value);
    if (part === at + 1) select.value = "0";
    else if (part > at + 1) select.value = String(part - 1);
  }
  setParts(left);
  (textOf(parts()[Math.min(at, left.length - 1)]) ?? addButton())?.focus();
  say("The post is taken out of the thread.");
  changed();
}

const addButton = (): HTMLButtonElement | null =>
  document.querySelector<HTMLButtonElement>("button[name=do][value=add-part]");

function addMoves(changed: () => void): void {
  parts().forEach((part, i) => {
    if (part.querySelector(".moves")) return;
    const at = () => parts().indexOf(part);
    const number = `post ${i + 2}`;
    const button = (text: string, step: number): HTMLButtonElement =>
      makeButton(
        text,
        () => {
          const other = at() + step;
          swap(at(), other, changed);
          all<HTMLButtonElement>(".moves button", parts()[other])
            .find((one) => one.textContent === text)
            ?.focus();
        },
        `${text}: ${number}`,
      );
    const dropButton = part.querySelector("button[name=do]");
    const moves = make("span", { className: "moves" }, button("Earlier", -1), button("Later", 1));
    if (dropButton) dropButton.before(moves);
    else part.append(moves);
  });
}

function split(changed: () => void): void {
  const fields = ["title", "description"].map((id) => byId<HTMLTextAreaElement>(id));
  const area = fields.find((field) => field && /\S\s*\n\s*\n\s*\S/.test(field.value));
  if (!area) {
    say("The text has no empty line to split at.");
    return;
  }
  const [first = "", ...rest] = area.value.split(/\n\s*\n/).filter((text) => text.trim() !== "");
  area.value = first;
  setParts([...rest, ...texts().filter((text) => text.trim() !== "")]);
  addMoves(changed);
  say(`The text is split into ${rest.length + 1} posts.`);
  changed();
}

export function startThreads(changed: () => void): void {
  const section = sectionOf("thread");
  if (!section || !list) return;
  section.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button[name=do]");
    const dropped = /^drop-part-/.test(button?.value ?? "");
    if (!button || (button.value !== "add-part" && !dropped)) return;
    event.preventDefault();
    if (dropped) {
      const part = button.closest<HTMLElement>("li.part");
      if (part) drop(parts().indexOf(part), changed);
      return;
    }
    setParts([...texts(), ""]);
    addMoves(changed);
    textOf(parts().at(-1))?.focus();
    changed();
  });
  addButton()?.after(makeButton("Split at empty lines", () => split(changed)));
  addMoves(changed);
  fillFileParts();
}
