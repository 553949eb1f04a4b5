import { spawnTiedGroup } from "../../../src/cli/process-group.ts";

/** Starts a program tied to this one, which starts another and ignores requests to end. */
const stubborn = `
  const { spawn } = require("node:child_process");
  const idle = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const own = spawn(process.execPath, ["-e", idle], { stdio: "inherit" });
  process.on("SIGTERM", () => process.exit(0));
  console.log(JSON.stringify({ program: process.pid, descendant: own.pid, leader: process.ppid }));
  setInterval(() => {}, 1000);
`;
const leader = spawnTiedGroup(process.execPath, ["-e", stubborn], {});
leader.on("exit", (code) => process.exit(code ?? 1));
