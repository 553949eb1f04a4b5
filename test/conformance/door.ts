import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { listen, parseJson, readBody } from "../peers/http.ts";

/** Tools of the suite's own server, each with the call of ours that plays it. */
const PLAYED: Record<string, { name: string; arguments: object }> = {
  test_simple_text: { name: "list_accounts", arguments: {} },
  test_error_handling: { name: "get_post_status", arguments: { postId: 999_999_999 } },
};

/**
 * Opens a door to the instance that puts the token into every request, for the suite knows no headers of ours,
 * and has our tools play the suite's where one can.
 */
export function openDoor(origin: string, token: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method, url: path, headers: sent } = incoming;
    const { body, name } = play(await readBody(incoming));
    const headers = {
      ...sent,
      ...(name && sent["mcp-name"] ? { "mcp-name": name } : {}),
      ...(method === "POST" ? { "content-length": body.length } : {}),
      "x-api-key": token,
    };
    const asked = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on("error", () => outgoing.destroy());
    asked.end(body);
  };
  return listen(createServer((incoming, outgoing) => void pass(incoming, outgoing)));
}

/** The body as it is passed on, and the name of the tool that plays another. */
function play(body: Buffer): { body: Buffer; name: string | null } {
  const message = Object(parseJson(body.toString())) as { params?: { name?: string } };
  const played = PLAYED[message.params?.name ?? ""];
  if (!played) return { body, name: null };
  const params = { ...message.params, ...played };
  return { body: Buffer.from(JSON.stringify({ ...message, params })), name: played.name };
}
