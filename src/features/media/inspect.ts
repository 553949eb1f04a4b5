import { CustomSource, Input, MP4, QTFF, WEBM } from "mediabunny";
import type { Deps } from "../../deps.ts";
import type { MediaItem, VideoFacts } from "../../platforms/connector.ts";
import { type FileObject, openFile } from "./files.ts";

/** Enough to measure the frame rate. */
const PACKETS_LOOKED_AT = 50;

const CONTAINERS: Record<string, string> = {
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
};

/**
 * Null for an unreadable video.
 *
 * @throws when storage fails
 */
export async function inspectVideo(
  deps: Pick<Deps, "media">,
  file: FileObject,
  item: Pick<MediaItem, "mime" | "sizeBytes">,
): Promise<VideoFacts | null> {
  let brokenRead: Error | null = null;
  const source = new CustomSource({
    getSize: () => item.sizeBytes,
    read: async (start, end) => {
      const range = { offset: start, length: end - start };
      try {
        const object = await openFile(deps, file, range);
        return new Uint8Array(await object.arrayBuffer());
      } catch (error) {
        brokenRead = error instanceof Error ? error : new Error(String(error));
        throw brokenRead;
      }
    },
  });
  const input = new Input({ source, formats: [MP4, QTFF, WEBM] });
  try {
    const video = await input.getPrimaryVideoTrack();
    if (!video) return null;
    const audio = await input.getPrimaryAudioTrack();
    const [videoCodec, audioCodec, durationSeconds, stats, width, height] = await Promise.all([
      video.getCodec(),
      audio ? audio.getCodec() : null,
      input.computeDuration(),
      video.computePacketStats(PACKETS_LOOKED_AT),
      video.getDisplayWidth(),
      video.getDisplayHeight(),
    ]);
    return {
      container: CONTAINERS[item.mime] ?? item.mime,
      videoCodec,
      audioCodec,
      durationSeconds: positiveOrNull(durationSeconds),
      framesPerSecond: positiveOrNull(stats.averagePacketRate),
      width: positiveOrNull(width),
      height: positiveOrNull(height),
    };
  } catch {
    if (brokenRead) throw brokenRead;
    return null;
  } finally {
    input.dispose();
  }
}

const positiveOrNull = (value: number): number | null =>
  Number.isFinite(value) && value > 0 ? value : null;
