import { execFileSync } from "node:child_process";

/** `kill -9` of a process and of all that it started, before any of them can tidy up. */
export function killTree(root: number): void {
  const listed = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  const parents = new Map(
    [...listed.matchAll(/(\d+) +(\d+)/g)].map(([, pid, parent]) => [Number(pid), Number(parent)]),
  );
  const tree = new Set([root]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  for (const pid of tree) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}
