import { byId } from "./page.ts";

interface Frame {
  kind: string;
  minRatio?: number;
  maxRatio?: number;
  narrower?: string;
  wider?: string;
  several?: string;
}

export interface PlatformFacts {
  name: string;
  characters: number | null;
  photoCharacters: number | null;
  titleCharacters: number | null;
  hasThreads: boolean;
  countedBy?: "graphemes" | "code points";
  hasCaptions?: true;
  textBytes?: number;
  longText?: { setting: string; characters: number };
  frames?: Frame[];
}

const { platforms = "{}" } = byId("compose-data")?.dataset ?? {};

export const facts: Record<string, PlatformFacts> = JSON.parse(platforms);
