import { SandboxState } from "../../src/worker.ts";
import { CHUNK_HEADERS } from "./server-options.ts";

/** The simulated platforms, which tell the harness of every chunk of a video that YouTube is sent. */
export class WatchedSandbox extends SandboxState {
  override async fetch(request: Request): Promise<Response> {
    const { CHUNK_WATCH: watch } = this.env as { CHUNK_WATCH?: string };
    const range = /^bytes \d+-\d+\/\d+$/.exec(request.headers.get("content-range") ?? "")?.[0];
    if (!watch || !range || !request.url.includes("/upload/youtube/")) return super.fetch(request);
    const tell = (headers: Record<string, string>) =>
      fetch(watch, { method: "POST", headers: { [CHUNK_HEADERS.range]: range, ...headers } });
    await tell({ [CHUNK_HEADERS.state]: "begins" });
    const answer = await super.fetch(request);
    await tell({ [CHUNK_HEADERS.state]: "stored" });
    return answer;
  }
}
