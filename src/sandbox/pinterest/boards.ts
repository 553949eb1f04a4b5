import { hasScope } from "../kit/codes.ts";
import { digitsOf } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import { handleOf } from "./accounts.ts";
import { authenticate, invalid, pageOf, refusal } from "./call.ts";

interface SimulatedBoard {
  id: string;
  name: string;
  description: string;
  privacy: "PUBLIC" | "SECRET";
}

const BOARDS = [
  { name: "Ideas", description: "Things to try next", privacy: "PUBLIC" },
  { name: "Products", description: "", privacy: "PUBLIC" },
  { name: "Drafts", description: "Not shown to anybody", privacy: "SECRET" },
] as const;

/** Every account has these three boards; ids derive from its name. */
export const boardsOf = (name: string): Promise<SimulatedBoard[]> =>
  Promise.all(
    BOARDS.map(async (board) => ({
      id: await digitsOf("pinterest", `${name} / ${board.name}`, 18),
      ...board,
    })),
  );

export async function requireBoard(name: string, id: string): Promise<SimulatedBoard> {
  const board = (await boardsOf(name)).find((one) => one.id === id);
  if (!board) throw refusal(404, 40, "Board not found.");
  return board;
}

const PRIVACIES = ["PUBLIC", "PROTECTED", "SECRET"];

export async function listBoards(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const privacy = call.req.query("privacy");
  if (privacy !== undefined && !PRIVACIES.includes(privacy)) {
    throw invalid(`'${privacy}' is not one of ${PRIVACIES.join(", ")}`);
  }
  const seesSecret = hasScope(call, "pinterest", name, "boards:read_secret");
  const shown = (await boardsOf(name)).filter(
    (board) =>
      (privacy ?? board.privacy) === board.privacy && (seesSecret || board.privacy !== "SECRET"),
  );
  const items = shown.map((board) => ({
    ...board,
    pin_count: 0,
    follower_count: 0,
    collaborator_count: 0,
    owner: { username: handleOf(name) },
    media: { image_cover_url: null, pin_thumbnail_urls: [] },
  }));
  return pageOf(call, ["privacy"], items);
}
