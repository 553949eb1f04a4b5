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
  textBytes?: number;
  longText?: { setting: string; characters: number };
  frames?: Frame[];
}

export interface FileRoute {
  /** Of POST /upload/presign. */
  name: string;
  maxBytes: number;
  types: string[];
}

const { platforms = "{}", routes = "[]" } = byId("compose-data")?.dataset ?? {};

export const facts: Record<string, PlatformFacts> = JSON.parse(platforms);
export const fileRoutes: FileRoute[] = JSON.parse(routes);
