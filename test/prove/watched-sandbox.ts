import { SandboxState } from "../../src/worker.ts";
import { CHUNK_HEADERS, type ServerOptions } from "./server-options.ts";

/** The simulated platforms, whose calls the harness may lose, and which tell it of every chunk of a video that YouTube is sent. */
export class WatchedSandbox extends SandboxState {
  private lost = 0;

  override async fetch(request: Request): Promise<Response> {
    const { LOSSES = "null" } = this.env as { LOSSES?: string };
    const losses = JSON.parse(LOSSES) as ServerOptions["losses"] | null;
    const isWrite = request.method === "POST" || request.method === "PUT";
    if (!losses || !isWrite) return this.answer(request);
    this.loseBy(losses.before);
    const answer = await this.answer(request);
    this.loseBy(losses.after);
    return answer;
  }

  async countLost(): Promise<number> {
    return this.lost;
  }

  private loseBy(share: number): void {
    if (Math.random() >= share) return;
    this.lost++;
    throw new TypeError("Network connection lost.");
  }

  private async answer(request: Request): Promise<Response> {
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
