import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the message holds
type Message = any;

/** A scripted client of the bridge: it speaks the protocol line by line, as the transport has it. */
export class BridgeClient {
  /** Notifications of the server, in order. */
  readonly notices: Message[] = [];
  readonly errors: Promise<string>;
  private readonly child: ReturnType<typeof spawn>;
  private readonly waiting = new Map<number, (message: Message) => void>();
  private lastId = 0;

  constructor(command: string, args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.child = spawn(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    const { stdout, stderr } = this.child;
    if (!stdout || !stderr) throw new Error("The bridge has no output.");
    this.errors = text(stderr);
    createInterface({ input: stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      if (message.id === undefined) this.notices.push(message);
      else this.waiting.get(message.id)?.(message);
    });
    this.child.on("exit", (code) => {
      for (const end of this.waiting.values()) end({ error: { message: `exit ${code}` } });
    });
  }

  /** Sends a request, and returns the whole answer. */
  async request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.lastId;
    const answer = new Promise<Message>((resolve) => this.waiting.set(id, resolve));
    this.write({ jsonrpc: "2.0", id, method, params });
    return await answer;
  }

  /** Takes the newest request back, which is then not answered. */
  cancel(): void {
    const params = { requestId: this.lastId, reason: "The user changed their mind." };
    this.write({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  /** Shakes hands as clients of the revision 2025-11-25 do; the server's side of it. */
  async shakeHands(): Promise<Message> {
    const clientInfo = { name: "a-test", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { result } = await this.request("initialize", params);
    this.write({ jsonrpc: "2.0", method: "notifications/initialized" });
    return result;
  }

  /** Calls a tool; its result, or the error of the protocol. */
  async call(name: string, args: object, meta?: object): Promise<Message> {
    const params = { name, arguments: args, ...(meta ? { _meta: meta } : {}) };
    const { result, error } = await this.request("tools/call", params);
    return result ?? { error };
  }

  private write(message: object): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Hangs up; the exit code. */
  async end(): Promise<number | null> {
    if (this.child.exitCode === null) {
      this.child.stdin?.end();
      await once(this.child, "exit");
    }
    return this.child.exitCode;
  }
}
