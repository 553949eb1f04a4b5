declare module "twitter-text/dist/esm/parseTweet.js" {
  export default function parseTweet(text: string): { weightedLength: number };
}

declare module "twitter-text/dist/esm/extractUrlsWithIndices.js" {
  export interface FoundUrl {
    url: string;
    /** Start and end (exclusive) in UTF-16 units. */
    indices: [number, number];
  }

  export default function extractUrlsWithIndices(text: string): FoundUrl[];
}

declare module "twemoji-parser" {
  export interface FoundEmoji {
    text: string;
    /** Start and end (exclusive) in UTF-16 units. */
    indices: [number, number];
  }

  export function parse(text: string): FoundEmoji[];
}
