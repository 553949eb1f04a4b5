import { type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { type RawField, readJsonArray } from "../../platforms/kit/form-fields.ts";
import type { AccountRow } from "../accounts/table.ts";
import { blocksOfTeam } from "../blocks/repo.ts";
import { type Block, type BlockScope, expandBlocks, namesBlock } from "../blocks/rules.ts";
import type { NewPost, RawSettings } from "./new-post.ts";
import { scopeOfUpload } from "./repo/block-scope.ts";
import type { UploadEdit } from "./schema.ts";

type Written = Pick<NewPost, "title" | "description" | "settings"> &
  Partial<Pick<NewPost, "caption" | "overrides">>;

export const usesBlocks = ({
  title,
  description,
  caption,
  settings,
  overrides,
}: Written): boolean =>
  namesBlock(JSON.stringify([title, description, caption, settings, overrides]));

/** Makes no call unless the post names a block. */
export async function readBlocks(ctx: Ctx, post: Written): Promise<readonly Block[]> {
  if (!usesBlocks(post)) return [];
  const [blocks] = await ctx.db.run([blocksOfTeam({ team: ctx.team })]);
  return blocks;
}

export interface Filled<T> {
  filled: T;
  errors: FieldError[];
  /** A block of the post was saved by a caller whose posts wait for approval. */
  isHeld: boolean;
}

/** Puts the team's blocks into the texts of a post for one account. */
export function fillBlocks<T extends Written>(
  own: T,
  blocks: readonly Block[],
  account: Pick<AccountRow, "platform" | "accountName">,
): Filled<T> {
  if (!usesBlocks(own)) return { filled: own, errors: [], isHeld: false };
  const scope: BlockScope = { platform: account.platform, account: account.accountName };
  const errors: FieldError[] = [];
  let isHeld = false;
  const fill = (field: string) => (text: string) => {
    const { text: expanded, refusals, isHeld: waits } = expandBlocks(text, blocks, scope);
    isHeld ||= waits;
    errors.push(...refusals.map((refusal) => fieldError(field, refusal)));
    return expanded;
  };
  const settings = Object.entries(own.settings).map(([field, value]) => [
    field,
    fillSetting(value, fill(field)),
  ]);
  const filled = {
    ...own,
    title: own.title === null ? null : fill("title")(own.title),
    description: own.description === null ? null : fill("description")(own.description),
    settings: Object.fromEntries(settings) as RawSettings,
  };
  return { filled, errors, isHeld };
}

type FilledEdit = { edit: UploadEdit } & Pick<Filled<unknown>, "isHeld">;

/**
 * Puts the team's blocks into the texts of an edit.
 *
 * @throws AppError 400
 */
export async function fillEdit(ctx: Ctx, id: number, edit: UploadEdit): Promise<FilledEdit> {
  const { title, description, thread, first_comment } = edit;
  const texts = { title, description, thread, first_comment };
  if (!namesBlock(JSON.stringify(texts))) return { edit, isHeld: false };
  const [blocks, [scope]] = await ctx.read("posts:write", [
    blocksOfTeam({ team: ctx.team }),
    scopeOfUpload(ctx.team, id),
  ]);
  if (!scope) return { edit, isHeld: false };
  const errors: FieldError[] = [];
  let isHeld = false;
  const filled = Object.entries(texts).flatMap(([field, value]) => {
    if (value === undefined) return [];
    const fill = (text: string) => {
      const { text: expanded, refusals, isHeld: waits } = expandBlocks(text, blocks, scope);
      isHeld ||= waits;
      errors.push(...refusals.map((refusal) => fieldError(field, refusal)));
      return expanded;
    };
    return [[field, fillDeep(value, fill)]];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return { edit: { ...edit, ...Object.fromEntries(filled) }, isHeld };
}

/** A thread may be a JSON array of texts, or of objects with a text. */
function fillSetting(value: RawField, fill: (text: string) => string): RawField {
  if (typeof value !== "string") return fillDeep(value, fill) as RawField;
  const list = namesBlock(value) ? readJsonArray(value) : null;
  return list ? JSON.stringify(fillDeep(list, fill)) : fill(value);
}

function fillDeep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((one) => fillDeep(one, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, fillDeep(one, fill)]),
  );
}
