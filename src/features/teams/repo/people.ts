import { sql } from "drizzle-orm";
import type { PlanName } from "../../../core/plans.ts";
import { preparedWrite, type Query } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";
import { isInvited } from "./invites.ts";
import { hasPlaceForPerson } from "./limits.ts";

interface NewPerson {
  email: string;
  name: string;
  slug: string;
  basePlan: PlanName;
  maxPeople: number;
  at: Date;
}

const insertUser = preparedWrite(
  ({ email, maxPeople, at }: Params<NewPerson>) =>
    sql`INSERT INTO users (email, created_at) SELECT ${email}, ${at}
      WHERE ${isInvited(email, at)} AND ${hasPlaceForPerson(maxPeople)}
      ON CONFLICT DO NOTHING`,
);

const insertOwnTeam = preparedWrite(
  ({ email, name, slug, basePlan, at }: Params<NewPerson>) =>
    sql`INSERT INTO teams (name, slug, owner_id, base_plan, created_at, updated_at)
      SELECT ${name},
        iif(EXISTS (SELECT 1 FROM teams WHERE slug = ${slug}),
          ${slug} || '-' || lower(hex(randomblob(6))), ${slug}),
        u.id, ${basePlan}, ${at}, ${at}
      FROM users u WHERE u.email = ${email}
        AND NOT EXISTS (SELECT 1 FROM teams WHERE owner_id = u.id)`,
);

const insertOwner = preparedWrite(
  ({ email, at }: Params<NewPerson>) =>
    sql`INSERT INTO members (team_id, user_id, role, joined_at)
      SELECT t.id, u.id, 'OWNER', ${at} FROM users u JOIN teams t ON t.owner_id = u.id
      WHERE u.email = ${email} AND t.deleted_at IS NULL ON CONFLICT DO NOTHING`,
);

export const insertPerson = (person: NewPerson): Query<number>[] => [
  insertUser(person),
  insertOwnTeam(person),
  insertOwner(person),
];
