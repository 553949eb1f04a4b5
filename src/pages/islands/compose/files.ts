import { formatBytes } from "../../../core/counts.ts";
import { startReorder } from "../reorder.ts";
import { kindOf } from "../upload/file-kinds.ts";
import type { StoredFile } from "../upload/storage.ts";
import { Upload } from "../upload/uploads.ts";
import { crops } from "./crops.ts";
import { startWays } from "./file-ways.ts";
import { all, byId, chosenAccounts, make, makeButton, say } from "./page.ts";

const REFRESH_MS = 250;

const list = byId<HTMLUListElement>("files-list");
const uploads = new Map<HTMLElement, Upload>();
const addresses = new Map<HTMLElement, string>();
let changed = () => {};

export const goingUp = (): number => [...uploads.values()].filter((one) => one.isGoing).length;

export const unsaved = (): string[] =>
  [...uploads.values()].flatMap(({ state, file }) => (state === "stored" ? [] : [file.name]));

export function tellLost(names: readonly string[]): void {
  if (names.length === 0) return;
  const words = `Not uploaded when this page was left: ${names.join(", ")}. Add what is missing again.`;
  list?.before(make("p", { className: "notice", role: "status", textContent: words }));
}

const items = (): HTMLElement[] => all("li.file", list);

const cloneItem = (): HTMLElement | null => {
  const template = byId<HTMLTemplateElement>("file-template");
  const item = template?.content.querySelector<HTMLElement>("li")?.cloneNode(true);
  return (item as HTMLElement | undefined) ?? null;
};

/** Fields of a file that is not stored have no name, so that the form leaves them out. */
function nameFields(item: HTMLElement, isStored: boolean): void {
  for (const field of all<HTMLInputElement>("[name], [data-name]", item)) {
    if (field instanceof HTMLButtonElement) continue;
    const name = field.dataset.name ?? field.name;
    field.dataset.name = name;
    if (isStored) field.name = name;
    else field.removeAttribute("name");
  }
}

const aboutOf = (item: HTMLElement): Element => item.querySelector(".about") ?? item;

export function renumber(): void {
  const all = items();
  all.forEach((item, i) => {
    const name = `file ${i + 1}`;
    for (const start of ["alt", "part"]) {
      const control = item.querySelector(`[id^=${start}-]`);
      const label = item.querySelector<HTMLLabelElement>(`label[for^=${start}-]`);
      if (control) control.id = `${start}-${i}`;
      if (label) label.htmlFor = `${start}-${i}`;
      if (label && start === "alt")
        label.textContent = label.textContent?.replace(/file \d+/, name) ?? "";
    }
    for (const button of item.querySelectorAll<HTMLButtonElement>("button[name=do]")) {
      button.value = button.value.replace(/\d+$/, String(i));
      button.ariaLabel = `${button.textContent}: ${name}`;
      if (button.value.startsWith("file-up")) button.disabled = i === 0;
      if (button.value.startsWith("file-down")) button.disabled = i === all.length - 1;
    }
  });
}

function showPicture(item: HTMLElement, file: { kind: string; address: string | null }): void {
  item.dataset.kind = file.kind;
  const old = item.querySelector("img, video, .no-picture");
  if (!file.address || file.kind === "document") return;
  const picture =
    file.kind === "video"
      ? make("video", { src: file.address, muted: true, preload: "metadata", className: "thumb" })
      : make("img", { src: file.address, alt: "", className: "thumb" });
  if (picture instanceof HTMLVideoElement) {
    picture.addEventListener("loadedmetadata", () => {
      item.dataset.seconds = String(picture.duration);
      if (picture.videoWidth) setSize(item, picture.videoWidth, picture.videoHeight);
      changed();
    });
  } else {
    picture.addEventListener("load", () => {
      if (!item.dataset.width) setSize(item, picture.naturalWidth, picture.naturalHeight);
    });
  }
  if (old) old.replaceWith(picture);
  else item.prepend(picture);
}

function setSize(item: HTMLElement, width: number, height: number): void {
  item.dataset.width = String(width);
  item.dataset.height = String(height);
  showCrops();
}

export function showCrops(): void {
  const platforms = new Set(chosenAccounts().map(({ platform }) => platform));
  for (const item of items()) {
    const { kind = "", width, height } = item.dataset;
    const hints =
      width && height ? crops(kind, Number(width) / Number(height), platforms, items().length) : [];
    const place =
      item.querySelector<HTMLElement>(".crops") ?? make("p", { className: "crops hint" });
    place.textContent = hints.join(" ");
    if (place.textContent && !place.isConnected) aboutOf(item).append(place);
  }
}

const STATES = {
  waiting: "Waits for its turn",
  sending: "Going up",
  paused: "Paused",
  offline: "No connection. It goes on by itself when the line is back",
  stored: "Stored",
  failed: "",
};

interface Progress {
  bar: HTMLProgressElement;
  words: HTMLElement;
  buttons: HTMLElement;
  shown: string;
}

function showProgress(upload: Upload, { bar, words }: Progress): void {
  bar.value = upload.progress;
  const percent = `${Math.floor(upload.progress * 100)} %`;
  const text =
    upload.state === "failed"
      ? upload.message
      : `${STATES[upload.state]}, ${percent} of ${formatBytes(upload.file.size)}`;
  if (words.textContent !== text) words.textContent = text;
}

/** Buttons are made again only when the state changes, so that focus stays. */
function showState(item: HTMLElement, upload: Upload, progress: Progress): void {
  if (progress.shown === upload.state) return;
  const hadFocus = progress.buttons.contains(document.activeElement);
  progress.shown = upload.state;
  const { name } = upload.file;
  const button =
    upload.state === "failed"
      ? makeButton("Try again", () => upload.start(), `Try again: ${name}`)
      : upload.state === "paused"
        ? makeButton("Resume", () => upload.start(), `Resume ${name}`)
        : makeButton("Pause", () => upload.pause(), `Pause ${name}`);
  item.classList.toggle("failed", upload.state === "failed");
  progress.buttons.replaceChildren(button);
  if (hadFocus) button.focus();
  if (upload.state === "failed") say(`${name}: ${upload.message}`);
}

function finish(item: HTMLElement, stored: StoredFile, progress: Progress): void {
  const field = item.querySelector<HTMLInputElement>("[data-name=mediaId]");
  if (field) field.value = stored.mediaId;
  item.dataset.mediaId = stored.mediaId;
  if (stored.width && stored.height) setSize(item, stored.width, stored.height);
  nameFields(item, true);
  const hadFocus = progress.buttons.contains(document.activeElement);
  progress.bar.parentElement?.remove();
  if (hadFocus) item.querySelector("textarea")?.focus();
  const name = item.querySelector("[data-about]")?.textContent ?? "The file";
  say(goingUp() === 0 ? "Every file is stored." : `${name} is stored.`);
  changed();
}

function newItem(name: string): HTMLElement | null {
  const item = cloneItem();
  if (!item || !list) return null;
  const about = item.querySelector("[data-about]");
  if (about) about.textContent = name;
  list.append(item);
  renumber();
  return item;
}

function add(file: File): void {
  const item = newItem(file.name);
  if (!item) return;
  nameFields(item, false);
  const kind = kindOf(file);
  const address = kind === "document" ? null : URL.createObjectURL(file);
  if (address) addresses.set(item, address);
  showPicture(item, { kind, address });
  const progress: Progress = {
    bar: make("progress", { max: 1, value: 0, ariaLabel: `Upload of ${file.name}` }),
    words: make("p", { className: "hint" }),
    buttons: make("div", { className: "row" }),
    shown: "",
  };
  aboutOf(item).append(
    make("div", { className: "progress" }, progress.bar, progress.words, progress.buttons),
  );
  let timer = 0;
  const refresh = () => {
    timer = 0;
    showProgress(upload, progress);
  };
  const upload = new Upload(file, () => {
    if (upload.stored && upload.state === "stored") {
      if (progress.shown !== "stored") {
        progress.shown = "stored";
        finish(item, upload.stored, progress);
      }
      return;
    }
    if (progress.shown !== upload.state) {
      showState(item, upload, progress);
      refresh();
      showGoing();
    } else if (timer === 0) timer = setTimeout(refresh, REFRESH_MS) as unknown as number;
  });
  uploads.set(item, upload);
  upload.start();
}

function addStored(file: StoredFile): void {
  const item = newItem(file.name ?? "A file of the library");
  if (!item) return;
  item.dataset.mediaId = file.mediaId;
  const field = item.querySelector<HTMLInputElement>("[name=mediaId]");
  if (field) field.value = file.mediaId;
  showPicture(item, {
    kind: file.kind,
    address: file.kind === "video" ? file.url : (file.thumbnailUrl ?? file.url),
  });
  if (file.width && file.height) setSize(item, file.width, file.height);
  changed();
}

function addFiles(files: Iterable<File>): void {
  for (const file of files) add(file);
  showGoing();
}

function remove(item: HTMLElement): void {
  uploads.get(item)?.cancel();
  uploads.delete(item);
  const address = addresses.get(item);
  if (address) URL.revokeObjectURL(address);
  addresses.delete(item);
  const all = items();
  const next = all[all.indexOf(item) + 1] ?? all[all.indexOf(item) - 1];
  item.remove();
  renumber();
  const target = next?.querySelector<HTMLElement>("button[value^=file-drop]") ?? byId("photo");
  target?.focus();
  say("The file is removed.");
  changed();
}

let onGoing = () => {};
const showGoing = () => onGoing();

/** Moves are the buttons of the page: they work without script too. */
function onListClick(event: Event): void {
  const button = (event.target as Element).closest<HTMLButtonElement>("button[name=do]");
  const item = button?.closest<HTMLElement>("li.file");
  const what = /^file-(up|down|drop)/.exec(button?.value ?? "")?.[1];
  if (!button || !item || !what) return;
  event.preventDefault();
  if (what === "drop") {
    remove(item);
    return;
  }
  move(item, items().indexOf(item) + (what === "up" ? -1 : 1));
  if (button.disabled) item.querySelector<HTMLElement>("button[name=do]:enabled")?.focus();
  else button.focus();
}

function move(item: HTMLElement, to: number): void {
  const others = items().filter((one) => one !== item);
  if (to < 0 || to > others.length) return;
  const next = others[to];
  if (next) next.before(item);
  else list?.append(item);
  renumber();
  say(`This file is now number ${to + 1} of ${others.length + 1}.`);
  changed();
}

async function pickCover(item: HTMLElement): Promise<void> {
  const source = addresses.get(item) ?? item.querySelector<HTMLVideoElement>("video")?.src;
  if (!source) return;
  const { chooseCover } = await import("./cover.ts");
  if (await chooseCover(source)) changed();
}

export function startFiles(onChange: () => void, onUploads: () => void): void {
  changed = () => {
    onUploads();
    showCrops();
    onChange();
  };
  onGoing = onUploads;
  if (!list || !startWays({ addFiles, addStored, changed: () => changed() })) return;
  list.addEventListener("click", onListClick);
  list.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("button.cover");
    const item = button?.closest<HTMLElement>("li.file");
    if (item) pickCover(item);
  });
  startReorder(list, "li.file", move);
  new MutationObserver(addCoverButtons).observe(list, { childList: true });
  addCoverButtons();
  for (const item of items()) {
    const { address, kind = "" } = item.dataset;
    if (address) showPicture(item, { kind, address });
  }
  showCrops();
}

function addCoverButtons(): void {
  for (const item of items()) {
    if (item.dataset.kind !== "video" || item.querySelector("button.cover")) continue;
    const button = makeButton("Choose the cover", () => {});
    button.classList.add("cover");
    aboutOf(item).append(button);
  }
}
