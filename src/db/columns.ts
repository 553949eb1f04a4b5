import { customType } from "drizzle-orm/sqlite-core";

/** Stored as epoch ms. */
export const instant = customType<{ data: Date; driverData: number }>({
  dataType: () => "integer",
  fromDriver: (value) => new Date(value),
  toDriver: (value) => value.getTime(),
});

/** Stored as JSON text. */
export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    fromDriver: (value) => JSON.parse(value) as T,
    toDriver: (value) => JSON.stringify(value),
  })(name);

/** Stored as 1 and 0. */
export const flag = customType<{ data: boolean; driverData: number }>({
  dataType: () => "integer",
  fromDriver: (value) => value === 1,
  toDriver: (value) => (value ? 1 : 0),
});
