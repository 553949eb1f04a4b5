import { ACCEPTED, mostOf } from "../upload/file-kinds.ts";
import { keepBlob, type StoredFile } from "../upload/storage.ts";
import { byId, make, makeButton, sectionOf, setCover, showErrors } from "./page.ts";

interface Ways {
  addFiles(files: Iterable<File>): void;
  addStored(file: StoredFile): void;
  changed(): void;
}

/** Only files that a person dropped; a dragged text goes where it was dropped. */
const filesOf = (data: DataTransfer | null): File[] => [...(data?.files ?? [])];

function takeDrops(zone: HTMLElement, ways: Ways): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.classList.remove("over");
  });
  document.addEventListener("drop", (event) => {
    zone.classList.remove("over");
    if (!hasFiles(event)) return;
    event.preventDefault();
    ways.addFiles(filesOf(event.dataTransfer));
  });
  document.addEventListener("paste", (event) => {
    const files = filesOf(event.clipboardData);
    if (files.length === 0 || event.clipboardData?.types.includes("text/plain")) return;
    event.preventDefault();
    ways.addFiles(files);
  });
}

function takeInput(input: HTMLInputElement, ways: Ways): void {
  input.multiple = true;
  input.accept = ACCEPTED;
  input.addEventListener("change", (event) => {
    event.stopPropagation();
    ways.addFiles([...(input.files ?? [])]);
    input.value = "";
  });
}

async function openLibrary(ways: Ways): Promise<void> {
  const { chooseFromLibrary } = await import("./library.ts");
  chooseFromLibrary((files) => files.forEach(ways.addStored));
}

function addWays(input: HTMLInputElement, ways: Ways): void {
  const row = make("div", { className: "row ways" });
  row.append(makeButton("From the library", () => openLibrary(ways)));
  if (matchMedia("(pointer: coarse)").matches) {
    const camera = make("input", {
      type: "file",
      accept: "image/*",
      className: "hidden",
      tabIndex: -1,
    });
    camera.setAttribute("capture", "environment");
    camera.ariaHidden = "true";
    takeInput(camera, ways);
    camera.accept = "image/*";
    row.append(
      makeButton("Take a picture", () => camera.click()),
      camera,
    );
  }
  input.after(row);
}

function takeThumbnail(ways: Ways): void {
  const input = byId<HTMLInputElement>("thumbnail");
  input?.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    if (!file) return;
    input.value = "";
    try {
      setCover((await keepBlob(file, file.name)).mediaId);
      showErrors("thumbnail", "");
      ways.changed();
    } catch (error) {
      showErrors("thumbnail", (error as Error).message);
    }
  });
}

export function startWays(ways: Ways): boolean {
  const section = sectionOf("files");
  const input = byId<HTMLInputElement>("photo");
  if (!section || !input) return false;
  takeInput(input, ways);
  const video = byId("video")?.closest<HTMLElement>(".inputs > *");
  if (video) video.hidden = true;
  const label = input.labels?.[0];
  if (label) label.textContent = "Add pictures, videos or a document";
  const hint = byId("photo-hint");
  const words = `Drop them here or paste a picture: up to ${mostOf("image/png")}, a video up to ${mostOf("video/mp4")}.`;
  if (hint) hint.textContent = words;
  takeThumbnail(ways);
  addWays(input, ways);
  takeDrops(section, ways);
  return true;
}
