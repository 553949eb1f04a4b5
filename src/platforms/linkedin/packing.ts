import * as z from "zod";
import { videoPart } from "./media-api.ts";

/** The parts of a video that are still to be sent, and the names of those sent, in order. */
const progress = z.object({ parts: z.array(videoPart), etags: z.array(z.string()) });

export type Progress = z.infer<typeof progress>;

const through = (bytes: Blob, by: CompressionStream | DecompressionStream): Response =>
  new Response(bytes.stream().pipeThrough(by));

/**
 * The progress as text that is short enough to be stored after every part: the 120 addresses of a large
 * video have some hundred characters each, most of them the same ones.
 */
export async function pack(sent: Progress): Promise<string> {
  const json = new Blob([JSON.stringify(sent)]);
  const bytes = await through(json, new CompressionStream("deflate-raw")).arrayBuffer();
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
}

/** @throws for what `pack` has not made */
export async function unpack(text: string): Promise<Progress> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const json = through(new Blob([bytes]), new DecompressionStream("deflate-raw"));
  return progress.parse(await json.json());
}
