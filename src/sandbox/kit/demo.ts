/** One post of the demo: its name in the table, the fields it is made of, and how many photos go along. */
export interface DemoPost {
  what: string;
  fields: Record<string, string>;
  photos?: number;
  hasVideo?: boolean;
}

/** Tells one run's posts from another's, and where pins go. */
export interface DemoRun {
  /** Six hex digits. */
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
