import { spawn } from "node:child_process";

type Env = NodeJS.ProcessEnv;

export type Flow = "browser" | "address" | "code";

export interface FlowOptions {
  /** False for --no-browser. */
  browser?: boolean;
  device?: boolean;
}

/** How to sign in: in a browser that opens, at an address that the person opens on this machine, or by a code. */
export function chooseFlow(
  { browser = true, device = false }: FlowOptions,
  env: Env = process.env,
  platform: NodeJS.Platform = process.platform,
): Flow {
  if (device) return "code";
  if (!browser) return "address";
  const isRemote = Boolean(env.SSH_CONNECTION || env.SSH_TTY || env.CI);
  const isDesktop =
    platform === "darwin" || platform === "win32" || env.DISPLAY || env.WAYLAND_DISPLAY;
  return isRemote || !isDesktop ? "code" : "browser";
}

/** Programs that open an address without a shell, which could read it as a command. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Does nothing where no browser can be opened: the person has the address. */
export function openBrowser(address: string): void {
  const [command = "", ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, address], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}
