import { AppError } from "../core/errors.ts";
import {
  GUIDE_GROUPS_PATH,
  type GuideGroup,
  type GuidePage,
  guidePagePath,
  guideTextPath,
} from "../core/guides.ts";
import type { Deps } from "../deps.ts";

type WithAssets = Pick<Deps, "assets">;

async function findAsset({ assets }: WithAssets, path: string): Promise<Response | null> {
  const answer = await assets.fetch(new URL(path, "https://assets.invalid"));
  if (answer.ok) return answer;
  await answer.body?.cancel();
  return null;
}

/** @throws AppError NOT_FOUND naming the address that was asked for */
async function requireAsset(deps: WithAssets, path: string, address: string): Promise<Response> {
  const asset = await findAsset(deps, path);
  if (asset !== null) return asset;
  throw new AppError(
    "NOT_FOUND",
    `Nothing is at ${address}. The guides are listed at /docs/guides, the API at /docs.`,
  );
}

const requireText = async (deps: WithAssets, path: string, address: string): Promise<string> =>
  (await requireAsset(deps, path, address)).text();

/** Returns all guides in their order; none where they have not been built. */
export async function readGuideGroups(deps: WithAssets): Promise<GuideGroup[]> {
  return JSON.parse((await (await findAsset(deps, GUIDE_GROUPS_PATH))?.text()) ?? "[]");
}

/** @throws AppError NOT_FOUND */
export async function readGuidePage(deps: WithAssets, name: string): Promise<GuidePage> {
  return JSON.parse(await requireText(deps, guidePagePath(name), `/docs/${name}`));
}

/** @throws AppError NOT_FOUND */
export const readGuideText = (deps: WithAssets, name: string): Promise<string> =>
  requireText(deps, guideTextPath(name), `/docs/${name}.md`);

/** @throws AppError NOT_FOUND */
export const readGuideAsset = (deps: WithAssets, path: string): Promise<string> =>
  requireText(deps, path, path);

/** @throws AppError NOT_FOUND */
export const readGuidePicture = async (deps: WithAssets, path: string): Promise<ArrayBuffer> =>
  (await requireAsset(deps, path, path)).arrayBuffer();
