import { type Context, Hono } from "hono";
import { AppError, invalidFields } from "../../../core/errors.ts";
import { publicOrigin } from "../../../http/env.ts";
import { readNumericId } from "../../../http/ids.ts";
import type { Fields } from "../../../http/multipart.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { formCall } from "../once.ts";
import { attempt, readFields } from "../refusals.ts";
import { readItemRows, rowErrors } from "./csv.ts";
import { variantsIn } from "./item-parts.tsx";
import { POOLS } from "./list.tsx";
import { queuePage, showPool } from "./page.tsx";
import { attemptForm, type RefusedForm, sentFields } from "./refused.ts";

export const poolItemsPage = new Hono<PageEnv>();

const ITEMS = `${POOLS}/:id/items`;

const idsOf = (c: Context<PageEnv>) => ({
  poolId: readNumericId(c.req.param("id") ?? "", "Pool"),
  id: readNumericId(c.req.param("itemId") ?? "", "Item"),
});

const done = (c: Context<PageEnv>, poolId: number, name: string, place: string): Response =>
  c.redirect(`${POOLS}/${poolId}?done=${name}${queuePage(c)}#${place}`, 303);

const toNumber = (text: string): unknown => (/^\d{1,9}$/.test(text.trim()) ? Number(text) : text);

interface Repeating {
  repeat: object | null;
  variants: string[] | null;
}

function readRepeating(textOf: (name: string) => string): Repeating {
  const [days, times] = [textOf("repeat_days").trim(), textOf("repeat_times").trim()];
  const variants = variantsIn(textOf("variants"));
  return {
    repeat:
      days === "" && times === ""
        ? null
        : { every: { days: toNumber(days) }, times: toNumber(times) },
    variants: variants.length > 0 ? variants : null,
  };
}

/** The fields of the page's form, by their names in the API. */
function translate(sent: Fields): Fields {
  const fields = new Map(sent);
  const textOf = (name: string) => sent.get(name)?.at(-1) ?? "";
  const { repeat, variants } = readRepeating(textOf);
  for (const name of ["repeat_days", "repeat_times", "variants", "video_url"]) fields.delete(name);
  if (repeat) fields.set("repeat", [JSON.stringify(repeat)]);
  if (variants) fields.set("variants", [JSON.stringify(variants)]);
  if (textOf("first_comment").trim() === "") fields.delete("first_comment");
  const address = textOf("video_url").trim();
  if (address !== "") fields.set("video", [address]);
  return fields;
}

poolItemsPage.post(ITEMS, signedIn("upload-create"), async (c) => {
  const { ctx } = c.var;
  const poolId = readNumericId(c.req.param("id"), "Pool");
  const { addItems, readItemForm } = await import("../../pools/pages.ts");
  let sent: RefusedForm["sent"] = new Map();
  const refused = await attemptForm(
    "item-new",
    () => sent,
    async () => {
      const { adding, looked } = await readItemForm(ctx, c.req.raw, {
        poolId,
        call: formCall(c),
        translate: (fields) => {
          sent = fields;
          return translate(fields);
        },
      });
      await addItems(ctx, adding, looked);
    },
  );
  return refused ? showPool(c, refused) : done(c, poolId, "added", "queue-title");
});

poolItemsPage.post(`${ITEMS}/clear`, signedIn("destructive"), async (c) => {
  const poolId = readNumericId(c.req.param("id"), "Pool");
  const { clearItems } = await import("../../pools/pages.ts");
  const refused = await attempt(() => clearItems(c.var.ctx, poolId));
  return refused
    ? showPool(c, refused)
    : c.redirect(`${POOLS}/${poolId}?done=cleared#queue-title`, 303);
});

poolItemsPage.post(`${ITEMS}/:itemId`, signedIn("write"), async (c) => {
  const { poolId, id } = idsOf(c);
  const form = await readForm(c);
  const { changeItem, itemChangeSchema } = await import("../../pools/pages.ts");
  const place = `item-${id}`;
  const refused = await attemptForm(
    place,
    () => sentFields(form),
    async () => {
      const comment = textField(form, "first_comment");
      const change = readFields(itemChangeSchema, {
        title: textField(form, "title"),
        description: textField(form, "description") || null,
        first_comment: comment === "" ? null : comment,
        ...readRepeating((name) => textField(form, name)),
      });
      await changeItem(c.var.ctx, poolId, id, change);
    },
  );
  return refused ? showPool(c, refused) : done(c, poolId, "changed", place);
});

const STEPS = ["up", "down", "first", "last"] as const;

poolItemsPage.post(`${ITEMS}/:itemId/move`, signedIn("write"), async (c) => {
  const { poolId, id } = idsOf(c);
  const to = textField(await readForm(c), "to");
  const { stepItem } = await import("../../pools/pages.ts");
  const refused = await attempt(() => {
    const step = STEPS.find((one) => one === to);
    if (!step) throw new AppError(null, "Press Up, Down or To the top.");
    return stepItem(c.var.ctx, { poolId, id, step });
  });
  return refused ? showPool(c, refused) : done(c, poolId, "moved", `item-${id}`);
});

poolItemsPage.post(`${ITEMS}/:itemId/remove`, signedIn("destructive"), async (c) => {
  const { poolId, id } = idsOf(c);
  const { removeItem } = await import("../../pools/pages.ts");
  const refused = await attempt(() => removeItem(c.var.ctx, poolId, id));
  return refused ? showPool(c, refused) : done(c, poolId, "removed", "queue-title");
});

async function rowsOf(form: FormData): Promise<string> {
  const file = form.get("file");
  return file instanceof File && file.size > 0 ? file.text() : textField(form, "rows");
}

poolItemsPage.post(`${POOLS}/:id/csv`, signedIn("upload-bulk"), async (c) => {
  const { ctx } = c.var;
  const poolId = readNumericId(c.req.param("id"), "Pool");
  const form = await readForm(c, "The table is larger than 400 KB. Send fewer rows at once.");
  const text = await rowsOf(form);
  const { addItems, bulkItemsSchema, toNewItem } = await import("../../pools/pages.ts");
  const refused = await attemptForm(
    "csv",
    () => new Map([["rows", [text]]]),
    async () => {
      try {
        const { items } = readFields(bulkItemsSchema, { items: readItemRows(text) });
        await addItems(ctx, {
          poolId,
          call: formCall(c),
          origin: publicOrigin(ctx, c.req.url),
          items: items.map(toNewItem),
          prefixOf: (i) => `items.${i}.`,
        });
      } catch (error) {
        throw asRowErrors(error);
      }
    },
  );
  return refused ? showPool(c, refused) : done(c, poolId, "added", "queue-title");
});

/** Errors of fields, and what is wrong with the whole table, stand below the rows. */
function asRowErrors(error: unknown): unknown {
  if (!(error instanceof AppError) || error.status !== 400) return error;
  const errors = error.extras.errors as { field: string; message: string }[] | undefined;
  const messages = errors ? rowErrors(errors) : [error.message];
  return invalidFields(messages.map((message) => ({ field: "rows", message })));
}
