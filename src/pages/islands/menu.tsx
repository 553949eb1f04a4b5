import { make } from "./make.ts";

interface Command {
  name: string;
  address: string;
  /** Pressed after `g`. */
  key: string | null;
}

const commands = (): Command[] =>
  [...document.querySelectorAll<HTMLAnchorElement>("nav [data-command]")].map((link) => ({
    name: link.textContent?.trim() ?? "",
    address: link.getAttribute("href") ?? "",
    key: link.dataset.command || null,
  }));

const matching = (all: readonly Command[], words: string): Command[] => {
  const wanted = words.toLowerCase().trim();
  return all.filter(({ name }) => name.toLowerCase().includes(wanted));
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName));

/** Time between the two keys of "g c". */
const SEQUENCE_MS = 1_500;

/** Keys of the page, which lists them in a hidden `dl`. */
const pageKeys = (): [keys: string[], words: string][] =>
  [...document.querySelectorAll("[data-keys] dt")].map((key) => [
    [key.textContent ?? ""],
    key.nextElementSibling?.textContent ?? "",
  ]);

type Open = "commands" | "keys";

/** Calls `onOpen` for Ctrl-K and `?`, and goes to a page for `g` and its key. */
function listen(all: readonly Command[], onOpen: (open: Open) => void): void {
  let startedAt = 0;
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      onOpen("commands");
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const isSecond = event.timeStamp - startedAt < SEQUENCE_MS;
    const target = isSecond ? all.find(({ key }) => key === event.key) : undefined;
    startedAt = event.key === "g" ? event.timeStamp : 0;
    if (target) location.assign(target.address);
    else if (event.key === "?") onOpen("keys");
  });
}

function moveFocus(form: HTMLFormElement, event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const places = [...form.querySelectorAll<HTMLElement>("input, a")];
  const at = places.indexOf(document.activeElement as HTMLElement);
  places[(at + step + places.length) % places.length]?.focus();
}

/** Enter opens the first match; the arrow keys move between the matches. */
function goTo(all: readonly Command[]): Node[] {
  const words = make("input", { id: "menu-words", type: "text", autocomplete: "off" });
  const label = make("label", { htmlFor: words.id, textContent: "Go to" });
  const list = make("ul");
  const status = make("p", { className: "muted", role: "status" });
  const show = () => {
    const matches = matching(all, words.value);
    list.replaceChildren(
      ...matches.map(({ name, address }) =>
        make("li", {}, make("a", { href: address, textContent: name })),
      ),
    );
    status.textContent = matches.length === 0 ? "No page has such a name." : "";
  };
  const form = make("form", {}, label, words, list, status);
  words.addEventListener("input", show);
  form.addEventListener("keydown", (event) => moveFocus(form, event));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [first] = matching(all, words.value);
    if (first) location.assign(first.address);
  });
  show();
  return [form];
}

function keysOf(all: readonly Command[]): Node[] {
  const rows: [keys: string[], words: string][] = [
    [["Ctrl", "K"], "Go to a page by its name"],
    [["?"], "This list"],
    ...all.flatMap(({ name, key }): [string[], string][] => (key ? [[["g", key], name]] : [])),
    ...pageKeys(),
  ];
  const kbds = (keys: readonly string[]) =>
    keys.flatMap((key, i) => [...(i > 0 ? [" "] : []), make("kbd", {}, key)]);
  return [
    make("h2", { textContent: "Keys" }),
    make(
      "dl",
      {},
      ...rows.flatMap(([keys, words]) => [make("dt", {}, ...kbds(keys)), make("dd", {}, words)]),
    ),
    make("form", { method: "dialog" }, make("button", { type: "submit", textContent: "Close" })),
  ];
}

const dialog = make("dialog", { className: "menu" });
const all = commands();
document.body.append(dialog);
listen(all, (open) => {
  dialog.ariaLabel = open === "keys" ? "Keys" : "Go to";
  dialog.replaceChildren(...(open === "keys" ? keysOf(all) : goTo(all)));
  if (!dialog.open) dialog.showModal();
});
