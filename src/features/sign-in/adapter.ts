import { sha256Hex } from "../../core/signature.ts";
import type { RawRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "./better-auth.ts";
import {
  type Comparison,
  countRows,
  deleteRows,
  findRows,
  insertRow,
  TABLES,
  type TableName,
  updateRows,
} from "./repo/library.ts";

/** The rows that mean something to the rest of the service, and are made by it. */
export interface Makers {
  /** Makes the row of a person who has none yet, and their team. */
  createUser(email: string): Promise<RawRow>;
  /** Makes the row of a session. */
  createSession(session: { tokenHash: string; userId: number; values: RawRow }): Promise<RawRow>;
}

const TOKEN = "token_hash";

/** Columns that better-auth knows and `users` has not: whoever has a row has proven their address. */
const NOT_IN_USERS = ["email_verified", "image", "updated_at"];

const OPERATORS: Record<string, Comparison["operator"]> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  in: "IN",
};

interface Asked {
  comparisons: Comparison[];
  /** The session's token, where a row is asked for by it. */
  token: string | null;
}

/** Returns the comparisons of a condition; tokens are hashed, as they are stored. */
async function toAsked(where: readonly CleanedWhere[] = []): Promise<Asked> {
  let token: string | null = null;
  const comparisons = await Promise.all(
    where.map(async ({ field, operator, value, connector }): Promise<Comparison> => {
      const known = OPERATORS[operator];
      if (!known) throw new Error(`The sign-in compares by ${operator}, which is not known here.`);
      let stored: unknown = value;
      if (field === TOKEN) {
        if (Array.isArray(value))
          stored = await Promise.all(value.map((one) => sha256Hex(String(one))));
        else {
          token = String(value);
          stored = await sha256Hex(token);
        }
      }
      return { column: field, operator: known, value: stored, connector };
    }),
  );
  return { comparisons, token };
}

/** Gives a session that was asked for by its token that token back. */
const answer = <T>(row: RawRow | undefined, token: string | null): T | null =>
  row ? ((token !== null && TOKEN in row ? { ...row, [TOKEN]: token } : row) as T) : null;

function toTable(model: string): TableName {
  const table = TABLES.find((name) => name === model);
  if (!table) throw new Error(`The sign-in asks for ${model}, which is no table of its own.`);
  return table;
}

/** better-auth's database on the tables of the house: integer ids, instants in ms, tokens hashed. */
export function houseAdapter({ db }: Pick<Deps, "db">, makers: Makers) {
  const createAdapter = ({
    getFieldName,
  }: {
    getFieldName: (of: { model: string; field: string }) => string;
  }): CustomAdapter => {
    const findMany: CustomAdapter["findMany"] = async <T>({
      model,
      where,
      limit,
      sortBy,
      offset,
    }: Parameters<CustomAdapter["findMany"]>[0]): Promise<T[]> => {
      // Nobody signs in by password or through another site: there is no such table.
      if (model === "account") return [];
      const { comparisons, token } = await toAsked(where);
      const order = sortBy && {
        column: getFieldName({ model, field: sortBy.field }),
        isDescending: sortBy.direction === "desc",
      };
      const page = { order: order ?? null, limit, offset: offset ?? 0 };
      const [rows] = await db.run([findRows(toTable(model), comparisons, page)]);
      return rows.map((row) => answer<T>(row, token) as T);
    };
    const update = async (model: string, where: CleanedWhere[], values: RawRow) => {
      const { comparisons, token } = await toAsked(where);
      const [rows] = await db.run([updateRows(toTable(model), comparisons, values)]);
      return { rows, token };
    };
    const remove = async (model: string, where: CleanedWhere[]) => {
      const { comparisons, token } = await toAsked(where);
      const [rows] = await db.run([deleteRows(toTable(model), comparisons)]);
      return { rows, token };
    };
    return {
      async create<T extends Record<string, unknown>>({
        model,
        data,
      }: {
        model: string;
        data: T;
      }): Promise<T> {
        const values: RawRow = data;
        if (model === "users") return (await makers.createUser(String(values.email))) as T;
        if (model !== "sessions") {
          const [[row]] = await db.run([insertRow(toTable(model), values)]);
          return row as T;
        }
        const token = String(values[TOKEN]);
        const tokenHash = await sha256Hex(token);
        const session = { tokenHash, userId: Number(values.user_id), values };
        return answer<T>(await makers.createSession(session), token) as T;
      },
      async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const [row] = await findMany<T>({ model, where, limit: 1 });
        return row ?? null;
      },
      findMany,
      async update<T>({ model, where, update: values }: Parameters<CustomAdapter["update"]>[0]) {
        const { rows, token } = await update(model, where, values as RawRow);
        return answer<T>(rows[0], token);
      },
      async updateMany({ model, where, update: values }) {
        return (await update(model, where, values)).rows.length;
      },
      async delete({ model, where }) {
        await remove(model, where);
      },
      async deleteMany({ model, where }) {
        return (await remove(model, where)).rows.length;
      },
      /** One statement: of several who bring the same token, one gets its row. */
      async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const { rows, token } = await remove(model, where);
        return answer<T>(rows[0], token);
      },
      async count({ model, where }) {
        const { comparisons } = await toAsked(where);
        const [[count = 0]] = await db.run([countRows(toTable(model), comparisons)]);
        return count;
      },
    };
  };
  return createAdapterFactory({
    config: {
      adapterId: "house",
      supportsNumericIds: true,
      supportsBooleans: false,
      supportsDates: true,
      supportsJSON: false,
      transaction: false,
      customTransformInput: ({ data, field, model }) => {
        if (model === "users" && NOT_IN_USERS.includes(field)) return undefined;
        return data instanceof Date ? data.getTime() : data;
      },
      customTransformOutput: ({ data, field, fieldAttributes, model }) => {
        if (model === "users" && field === "emailVerified") return true;
        return fieldAttributes.type === "date" && typeof data === "number" ? new Date(data) : data;
      },
    },
    adapter: createAdapter,
  });
}
