import { ALT_TEXT, type DemoPosts, film, sunset, videoPost } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => {
  const board = { pinterest_board_id: run.boardId ?? "" };
  const pin = {
    title: "A sunset made of numbers",
    description: sunset(run),
    alt_text: ALT_TEXT,
    ...board,
  };
  return [
    { what: "pin", fields: pin, photos: 1 },
    videoPost({ title: "Four seconds of film", description: film(run), ...board }),
  ];
};
