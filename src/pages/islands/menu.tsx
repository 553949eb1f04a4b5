import { render, useEffect, useRef, useState } from "hono/jsx/dom";

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
const pageKeys = (): [key: string, use: string][] =>
  [...document.querySelectorAll("[data-keys] dt")].map((key) => [
    key.textContent ?? "",
    key.nextElementSibling?.textContent ?? "",
  ]);

type Open = "commands" | "keys" | null;

/** Calls `onOpen` for Ctrl-K and `?`, and goes to a page for `g` and its key. */
function listen(all: readonly Command[], onOpen: (open: Open) => void): () => void {
  let startedAt = 0;
  const onKey = (event: KeyboardEvent) => {
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
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

interface GoToProps {
  all: readonly Command[];
}

/** Enter opens the first match; the arrow keys move between the matches. */
const GoTo = ({ all }: GoToProps) => {
  const [words, setWords] = useState("");
  const list = useRef<HTMLFormElement>(null);
  const matches = matching(all, words);

  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const places = [...(list.current?.querySelectorAll<HTMLElement>("input, a") ?? [])];
    const at = places.indexOf(document.activeElement as HTMLElement);
    places[(at + step + places.length) % places.length]?.focus();
  };

  return (
    <form
      ref={list}
      onKeyDown={onKey}
      onSubmit={(event: Event) => {
        event.preventDefault();
        const [first] = matches;
        if (first) location.assign(first.address);
      }}
    >
      <label for="menu-words">Go to</label>
      <input
        id="menu-words"
        type="text"
        autocomplete="off"
        value={words}
        onInput={(event: InputEvent) => setWords((event.target as HTMLInputElement).value)}
      />
      <ul>
        {matches.map(({ name, address }) => (
          <li>
            <a href={address}>{name}</a>
          </li>
        ))}
      </ul>
      <p class="muted" role="status">
        {matches.length === 0 ? "No page has such a name." : ""}
      </p>
    </form>
  );
};

const Keys = ({ all }: GoToProps) => (
  <>
    <h2>Keys</h2>
    <dl>
      <dt>
        <kbd>Ctrl</kbd> <kbd>K</kbd>
      </dt>
      <dd>Go to a page by its name</dd>
      <dt>
        <kbd>?</kbd>
      </dt>
      <dd>This list</dd>
      {all.flatMap(({ name, key }) =>
        key === null
          ? []
          : [
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>,
              <dd>{name}</dd>,
            ],
      )}
      {pageKeys().flatMap(([key, use]) => [
        <dt>
          <kbd>{key}</kbd>
        </dt>,
        <dd>{use}</dd>,
      ])}
    </dl>
    <form method="dialog">
      <button type="submit">Close</button>
    </form>
  </>
);

const Menu = ({ all }: GoToProps) => {
  const [open, setOpen] = useState<Open>(null);
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => listen(all, setOpen), []);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);

  return (
    <dialog
      ref={dialog}
      class="menu"
      aria-label={open === "keys" ? "Keys" : "Go to"}
      onClose={() => setOpen(null)}
    >
      {open === "commands" && <GoTo all={all} />}
      {open === "keys" && <Keys all={all} />}
    </dialog>
  );
};

const place = document.createElement("div");
document.body.append(place);
render(<Menu all={commands()} />, place);
