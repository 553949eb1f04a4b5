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

/** The rows that mean something to the rest of the service, and are made by it. */
export interface Makers {
  /** Makes the row of a person who has none yet, and their team; null where nobody invites the address. */
  createUser(email: string): Promise<RawRow | null>;
  /** Makes the row of a session; undefined for somebody whose account was closed meanwhile. */
  createSession(session: {
    tokenHash: string;
    userId: number;
    values: RawRow;
  }): Promise<RawRow | undefined>;
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
  /** Columns by which a row is asked for and that are stored otherwise: the answer has them as they were given. */
  given: RawRow;
}

/** Returns the comparisons of a condition: by the hash of a token, and by the id of a made-up address. */
async function toAsked(where: readonly CleanedWhere[] = []): Promise<Asked> {
  const given: RawRow = {};
  const comparisons = await Promise.all(
    where.map(async ({ field, operator, value, connector }): Promise<Comparison> => {
      const known = OPERATORS[operator];
      if (!known) throw new Error(`The sign-in compares by ${operator}, which is not known here.`);
      const person = field === "email" ? personOfAddress(String(value)) : null;
      if (person !== null) {
        given.email = value;
        return { column: "id", operator: known, value: person, connector };
      }
      let stored: unknown = value;
      if (field === TOKEN) {
        if (Array.isArray(value))
          stored = await Promise.all(value.map((one) => sha256Hex(String(one))));
        else {
          given[TOKEN] = value;
          stored = await sha256Hex(String(value));
        }
      }
      return { column: field, operator: known, value: stored, connector };
    }),
  );
  return { comparisons, given };
}

const answer = <T>(row: RawRow | undefined, given: RawRow): T | null =>
  row ? ({ ...row, ...given } as T) : null;

function toTable(model: string): TableName {
  const table = TABLES.find((name) => name === model);
  if (!table) throw new Error(`The sign-in asks for ${model}, which is no table of its own.`);
  return table;
}

/**
 * better-auth's database on the tables of the house: integer ids, instants in ms, tokens hashed.
 *
 * better-auth knows no clock but the runtime's. Every instant that it stores, reads or compares passes by here:
 * the tables hold instants of our clock, which development moves, and it sees them moved back. So what expires
 * for it expires by ours.
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
      // Nobody signs in by password or through another site: there is no such table.
      if (model === "account") return [];
      const { comparisons, given } = await toAsked(where);
      const order = sortBy && {
        column: getFieldName({ model, field: sortBy.field }),
        isDescending: sortBy.direction === "desc",
      };
      const page = { order: order ?? null, limit, offset: offset ?? 0 };
      const [rows] = await db.run([findRows(toTable(model), comparisons, page)]);
      return rows.map((row) => answer<T>(row, given) as T);
    };
    const update = async (model: string, where: CleanedWhere[], values: RawRow) => {
      const { comparisons, given } = await toAsked(where);
      const [rows] = await db.run([updateRows(toTable(model), comparisons, values)]);
      return { rows, given };
    };
    const remove = async (model: string, where: CleanedWhere[]) => {
      const { comparisons, given } = await toAsked(where);
      const [rows] = await db.run([deleteRows(toTable(model), comparisons)]);
      return { rows, given };
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
        const { rows, given } = await update(model, where, values as RawRow);
        return answer<T>(rows[0], given);
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
        const { rows, given } = await remove(model, where);
        return answer<T>(rows[0], given);
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
