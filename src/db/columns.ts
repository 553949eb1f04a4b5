import { customType } from "drizzle-orm/sqlite-core";

/** A `Date` in code, epoch milliseconds in the database. */
export const instant = customType<{ data: Date; driverData: number }>({
  dataType: () => "integer",
  fromDriver: (value) => new Date(value),
  toDriver: (value) => value.getTime(),
});

/** A value kept as JSON text. */
export const json = <T>(name: string) =>
  customType<{ data: T; driverData: string }>({
    dataType: () => "text",
    fromDriver: (value) => JSON.parse(value) as T,
    toDriver: (value) => JSON.stringify(value),
  })(name);

/** true and false as 1 and 0. */
export const flag = customType<{ data: boolean; driverData: number }>({
  dataType: () => "integer",
  fromDriver: (value) => value === 1,
  toDriver: (value) => (value ? 1 : 0),
});
