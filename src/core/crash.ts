/** Never logs the parameters of a database statement. */
export function describeCrash(error: unknown, requestId: string | null) {
  const crash = error instanceof Error ? error : new Error(String(error));
  return {
    event: "crash",
    requestId,
    error: `${crash.name}: ${crash.message.split("params:")[0]}`.slice(0, 500),
    stack: crash.stack?.split("\n").slice(1, 6).join(" | ").slice(0, 1_000),
  };
}
