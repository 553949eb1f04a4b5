import * as z from "zod";
import { videoPart } from "./media-api.ts";

const progress = z.object({ parts: z.array(videoPart), etags: z.array(z.string()) });

export type Progress = z.infer<typeof progress>;

const through = (bytes: Blob, by: CompressionStream | DecompressionStream): Response =>
  new Response(bytes.stream().pipeThrough(by));

/** A large video has 120 long, similar URLs, stored after every part. */
export async function pack(sent: Progress): Promise<string> {
  const json = new Blob([JSON.stringify(sent)]);
  const bytes = await through(json, new CompressionStream("deflate-raw")).arrayBuffer();
  return btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(""));
}

/** @throws Error for text not made by `pack` */
export async function unpack(text: string): Promise<Progress> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const json = through(new Blob([bytes]), new DecompressionStream("deflate-raw"));
  return progress.parse(await json.json());
}
