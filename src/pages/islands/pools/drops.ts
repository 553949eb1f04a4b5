import { formatBytes } from "../../../core/counts.ts";
import { call } from "../call.ts";
import { make } from "../make.ts";
import { ACCEPTED, mostOf } from "../upload/file-kinds.ts";
import type { StoredFile } from "../upload/storage.ts";
import { Upload } from "../upload/uploads.ts";
import { byId, say } from "./page.ts";
import { refreshQueue } from "./queue.ts";

const zone = byId("drop");
const list = make("ul", { className: "going" });
let going = 0;
let added = 0;
/** Items come into the queue in the order in which their files were dropped. */
let turn: Promise<unknown> = Promise.resolve();

const titleOf = ({ name }: File): string => name.replace(/\.[^.]+$/, "").trim() || name;

async function addItem(stored: StoredFile, file: File): Promise<void> {
  const form = new FormData();
  form.set("title", titleOf(file));
  form.set("mediaId", stored.mediaId);
  await call("POST", `/pools/${zone?.dataset.pool}/videos`, form);
}

const STATES = {
  waiting: "Waits for its turn",
  sending: "Going up",
  paused: "Paused",
  offline: "No connection. It goes on by itself when the line is back",
  stored: "Stored",
  failed: "",
};

interface Line {
  row: HTMLElement;
  bar: HTMLProgressElement;
  words: HTMLElement;
  button: HTMLButtonElement;
}

function newLine(name: string): Line {
  const bar = make("progress", { max: 1, value: 0, ariaLabel: `Upload of ${name}` });
  const words = make("p", { className: "muted" });
  const button = make("button", { type: "button", className: "quiet", textContent: "Cancel" });
  button.ariaLabel = `Cancel ${name}`;
  const row = make("li", {}, make("strong", { textContent: name }), bar, words, button);
  list.append(row);
  return { row, bar, words, button };
}

async function finish(): Promise<void> {
  if (going > 0 || added === 0) return;
  const count = added;
  added = 0;
  await refreshQueue();
  say(count === 1 ? "1 item is added to the queue." : `${count} items are added to the queue.`);
}

function ended(line: Line): void {
  const hadFocus = document.activeElement === line.button;
  line.row.remove();
  if (hadFocus) byId("drop-files")?.focus();
}

function take(file: File): void {
  going++;
  const line = newLine(file.name);
  const { promise: stored, resolve } = Promise.withResolvers<StoredFile | null>();
  const upload = new Upload(file, () => {
    const { state, progress } = upload;
    line.bar.value = progress;
    const text =
      state === "failed"
        ? upload.message
        : `${STATES[state]}, ${Math.floor(progress * 100)} % of ${formatBytes(file.size)}`;
    if (line.words.textContent !== text) line.words.textContent = text;
    if (state === "stored") resolve(upload.stored);
    if (state === "failed") fail(upload.message);
  });
  const fail = (message: string) => {
    line.words.textContent = message;
    line.bar.hidden = true;
    line.button.textContent = "Put away";
    line.button.ariaLabel = `Put away ${file.name}`;
    say(`${file.name}: ${message}`);
    resolve(null);
  };
  let isCancelled = false;
  line.button.addEventListener("click", () => {
    isCancelled = true;
    upload.cancel();
    resolve(null);
    ended(line);
  });
  turn = turn.then(async () => {
    const result = await stored;
    if (result && !isCancelled) {
      try {
        await addItem(result, file);
        added++;
        ended(line);
      } catch (error) {
        fail((error as Error).message);
      }
    }
    going--;
    await finish();
  });
  upload.start();
}

const takeAll = (files: Iterable<File>) => {
  for (const file of files) take(file);
};

function listen(place: HTMLElement): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    place.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) place.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    place.classList.remove("over");
    if (!hasFiles(event) || (event.target as Element).closest("input[type=file]")) return;
    event.preventDefault();
    takeAll(event.dataTransfer?.files ?? []);
  });
}

export function startDrops(): void {
  if (!zone) return;
  const input = make("input", { type: "file", id: "drop-files", multiple: true, accept: ACCEPTED });
  const label = make("label", { htmlFor: "drop-files", textContent: "Or choose them here" });
  input.addEventListener("change", () => {
    takeAll([...(input.files ?? [])]);
    input.value = "";
  });
  const hint = `Pictures up to ${mostOf("image/png")}, videos up to ${mostOf("video/mp4")}. The name of the file becomes the title.`;
  zone.append(make("p", { className: "muted", textContent: hint }), label, input, list);
  zone.hidden = false;
  listen(zone);
  addEventListener("beforeunload", (event) => {
    if (going > 0) event.preventDefault();
  });
}
