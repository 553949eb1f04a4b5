import { encodingOf, type TableColumn } from "../../db/lines.ts";
import { childrenFirst, isBackedUp } from "./rules.ts";

export interface TableShape {
  name: string;
  sql: string;
  columns: TableColumn[];
  key: string[];
}

/** As the statement of all tables answers it. */
export interface StoredTable {
  name: string;
  sql: string;
  columns: string;
}

/** The tables that a backup has, in the order in which it reads them. */
export const tablesOf = (stored: readonly StoredTable[]): TableShape[] =>
  childrenFirst(stored.filter(({ name }) => isBackedUp(name)).map((table) => toShape(table)));

/** Options stand behind the last parenthesis. */
const STRICT = /\bSTRICT\b[^)]*$/i;

function toShape({ name, sql, columns }: StoredTable): TableShape {
  const all = JSON.parse(columns) as [name: string, type: string, place: number][];
  const key = all
    .filter(([, , place]) => place > 0)
    .toSorted(([, , a], [, , b]) => a - b)
    .map(([column]) => column);
  return {
    name,
    sql,
    columns: all.map(([column, type]) => ({
      name: column,
      as: encodingOf(type, STRICT.test(sql)),
    })),
    key: key.length > 0 ? key : ["rowid"],
  };
}
