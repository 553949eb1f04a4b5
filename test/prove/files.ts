import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";

const decode = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const VIDEO = decode(SAMPLE_VIDEO_BASE64);
/** More than the least that any platform takes. */
const LARGE_BYTES = 80_000;
const LITTLE_BYTES = 12;
/** 64 x 64. */
const JPEG = decode(
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xABMAAEBAAAAAAAAAAAAAAAAAAAABgEBAQAAAAAAAAAAAAAAAAAAAAYQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCABAAEADASIAAhEAAxEA/9oADAMBAAIRAxEAPwCLASqJAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAf/2Q==",
);
const PDF = new TextEncoder().encode("%PDF-1.7 of one line");

let made = 0;

/** A box that players skip: the length, then its type. No two are the same. */
function freeSpace(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const box = new Uint8Array(sizeBytes);
  const view = new DataView(box.buffer);
  view.setUint32(0, sizeBytes);
  box.set(new TextEncoder().encode("free"), 4);
  view.setUint32(8, ++made);
  return box;
}

const film = (spaceBytes: number) =>
  new Blob([VIDEO, freeSpace(spaceBytes)], { type: "video/mp4" });

/** Every file is another one: some platforms do not get the same twice. */
export function addVideo(fields: FormData): void {
  fields.append("video", film(LITTLE_BYTES), "film.mp4");
}

/** The same film in a file that is not tiny. */
export function addLargeVideo(fields: FormData): void {
  fields.append("video", film(LARGE_BYTES), "film.mp4");
}

export function addPhotos(fields: FormData, count: number): void {
  for (let n = 0; n < count; n++) {
    const photo = new Blob([JPEG, `photo ${++made}`], { type: "image/jpeg" });
    fields.append("photo", photo, `photo-${n}.jpg`);
  }
}

export function addDocument(fields: FormData): void {
  const paper = new Blob([PDF, ` ${++made}`], { type: "application/pdf" });
  fields.append("photo", paper, "paper.pdf");
}
