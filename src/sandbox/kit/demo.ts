/** `what`: the post's name in the printed table. */
export interface DemoPost {
  what: string;
  fields: Record<string, string>;
  photos?: number;
  hasVideo?: boolean;
}

export interface DemoRun {
  id: string;
  boardId: string | null;
}

export type DemoPosts = (run: DemoRun) => DemoPost[];

export const ALT_TEXT = "A soft round sun in a diagonal gradient of two evening colours.";

export const film = ({ id }: DemoRun): string => `Four seconds of film. #akimbo run ${id}`;
export const sunset = ({ id }: DemoRun): string => `A sunset made of numbers. #akimbo run ${id}`;
export const sunsets = ({ id }: DemoRun): string =>
  `Three sunsets made of numbers. #akimbo run ${id}`;
export const hello = ({ id }: DemoRun): string => `Hello! Demo run ${id}`;

export const videoPost = (fields: Record<string, string>, what = "video"): DemoPost => ({
  what,
  fields,
  hasVideo: true,
});
