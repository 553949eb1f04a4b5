import type { Call } from "../kit/simulator.ts";

/** Larger than the 1 MB that X accepts. */
const LARGE_BYTES = 1_100_000;

const VTT = "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n";
const SRT = "1\n00:00:00,000 --> 00:00:01,000\nHello\n";

const FILES: Record<string, string> = {
  "/hello.vtt": VTT,
  "/hello.srt": SRT,
  "/hello.txt": "Hello",
};

/** Subtitles cannot come from the network. */
export function serveSubtitles({ req }: Call): Response {
  const { pathname } = new URL(req.url);
  if (pathname === "/large.srt") return new Response(SRT.padEnd(LARGE_BYTES, "\n"));
  const text = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  return text === undefined ? new Response(null, { status: 404 }) : new Response(text);
}
