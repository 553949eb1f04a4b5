import { personOfAddress } from "../../core/email.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { RawRow } from "../../db/rows.ts";
import type { Deps } from "../../deps.ts";
import {
  APIError,
  type CleanedWhere,
  type CustomAdapter,
  createAdapterFactory,
} from "./better-auth.ts";
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
import { NOT_INVITED } from "./rules.ts";

export interface Makers {
  /** Also creates the person's team. Returns null for an address without an invite. */
  createUser(email: string): Promise<RawRow | null>;
  /** Returns undefined for an account that was closed meanwhile. */
  createSession(session: {
    tokenHash: string;
    userId: number;
    values: RawRow;
  }): Promise<RawRow | undefined>;
}

const TOKEN = "token_hash";

/** Columns that better-auth expects and `users` lacks. Every stored address is verified. */
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

interface Lookup {
  comparisons: Comparison[];
  /** Values that are stored in another form, such as tokens. The answer returns them as they were sent. */
  sentValues: RawRow;
}

/** Finds tokens by their hash, and an address generated from a person's id by that id. */
async function toLookup(where: readonly CleanedWhere[] = []): Promise<Lookup> {
  const sentValues: RawRow = {};
  const comparisons = await Promise.all(
    where.map(async ({ field, operator, value, connector }): Promise<Comparison> => {
      const sqlOperator = OPERATORS[operator];
      if (!sqlOperator)
        throw new Error(`The sign-in compares by ${operator}, which is not known here.`);
      const person = field === "email" ? personOfAddress(String(value)) : null;
      if (person !== null) {
        sentValues.email = value;
        return { column: "id", operator: sqlOperator, value: person, connector };
      }
      let stored: unknown = value;
      if (field === TOKEN) {
        if (Array.isArray(value))
          stored = await Promise.all(value.map((one) => sha256Hex(String(one))));
        else {
          sentValues[TOKEN] = value;
          stored = await sha256Hex(String(value));
        }
      }
      return { column: field, operator: sqlOperator, value: stored, connector };
    }),
  );
  return { comparisons, sentValues };
}

const answer = <T>(row: RawRow | undefined, sentValues: RawRow): T | null =>
  row ? ({ ...row, ...sentValues } as T) : null;

function toTable(model: string): TableName {
  const table = TABLES.find((name) => name === model);
  if (!table) throw new Error(`The sign-in asks for ${model}, which is no table of its own.`);
  return table;
}

/**
 * Maps better-auth to this service's tables: integer ids, instants in ms, hashed tokens.
 *
 * better-auth reads only the runtime's clock, but the tables use `deps.now`, which development moves. Every instant is
 * shifted here, so that rows expire by `deps.now`.
 */
export function databaseAdapter({ db, now }: Pick<Deps, "db" | "now">, makers: Makers) {
  const aheadMs = now().getTime() - Date.now();
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
      // better-auth has this table for passwords and social logins, which are not offered.
      if (model === "account") return [];
      const { comparisons, sentValues } = await toLookup(where);
      const order = sortBy && {
        column: getFieldName({ model, field: sortBy.field }),
        isDescending: sortBy.direction === "desc",
      };
      const page = { order: order ?? null, limit, offset: offset ?? 0 };
      const [rows] = await db.run([findRows(toTable(model), comparisons, page)]);
      return rows.map((row) => answer<T>(row, sentValues) as T);
    };
    const update = async (model: string, where: CleanedWhere[], values: RawRow) => {
      const { comparisons, sentValues } = await toLookup(where);
      const [rows] = await db.run([updateRows(toTable(model), comparisons, values)]);
      return { rows, sentValues };
    };
    const remove = async (model: string, where: CleanedWhere[]) => {
      const { comparisons, sentValues } = await toLookup(where);
      const [rows] = await db.run([deleteRows(toTable(model), comparisons)]);
      return { rows, sentValues };
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
        if (model === "users") {
          const user = await makers.createUser(String(values.email));
          if (!user) throw new APIError("FORBIDDEN", { code: NOT_INVITED });
          return user as T;
        }
        if (model !== "sessions") {
          const [[row]] = await db.run([insertRow(toTable(model), values)]);
          return row as T;
        }
        const token = String(values[TOKEN]);
        const tokenHash = await sha256Hex(token);
        const session = { tokenHash, userId: Number(values.user_id), values };
        return answer<T>(await makers.createSession(session), { [TOKEN]: token }) as T;
      },
      async findOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const [row] = await findMany<T>({ model, where, limit: 1 });
        return row ?? null;
      },
      findMany,
      async update<T>({ model, where, update: values }: Parameters<CustomAdapter["update"]>[0]) {
        const { rows, sentValues } = await update(model, where, values as RawRow);
        return answer<T>(rows[0], sentValues);
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
      /** One statement: only one of two concurrent callers gets the row. */
      async consumeOne<T>({ model, where }: { model: string; where: CleanedWhere[] }) {
        const { rows, sentValues } = await remove(model, where);
        return answer<T>(rows[0], sentValues);
      },
      async count({ model, where }) {
        const { comparisons } = await toLookup(where);
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
        return data instanceof Date ? data.getTime() + aheadMs : data;
      },
      customTransformOutput: ({ data, field, fieldAttributes, model }) => {
        if (model === "users" && field === "emailVerified") return true;
        if (fieldAttributes.type !== "date" || typeof data !== "number") return data;
        return new Date(data - aheadMs);
      },
    },
    adapter: createAdapter,
  });
}
