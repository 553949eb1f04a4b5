export { toNewItem } from "./bulk-items.ts";
export { changeItem } from "./change-item.ts";
export { readItemForm } from "./item-form.ts";
export { bulkItemsSchema } from "./item-schema.ts";
export { addItems, clearItems, removeItem } from "./items.ts";
export { stepItem } from "./order.ts";
export {
  type ClockChange,
  listReads,
  type Outlook,
  type PoolLine,
  type PoolView,
  PREVIEW_DAYS,
  poolReads,
  toPoolLines,
  toPoolView,
} from "./outlook.ts";
export { itemChangeSchema } from "./repeat-schema.ts";
export { newPoolSchema, newSlotSchema, poolChangeSchema, slotChangeSchema } from "./schema.ts";
export {
  addSlot,
  changePool,
  changeSlot,
  createPool,
  deletePool,
  deleteSlot,
} from "./service.ts";
