import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { oauthDevices } from "../table.ts";

const readDevice = rowReader(oauthDevices);

export type DeviceRow = ReturnType<typeof readDevice>;

type NewDevice = Omit<DeviceRow, "polledAt" | "deniedAt" | "scopes"> & { scopes: string };

export const insertDevice = preparedWrite(
  (device: Params<NewDevice>) =>
    sql`INSERT INTO oauth_devices
        (hash, user_code, key, client_id, resource, scopes, expires_at, interval_seconds)
      VALUES (${device.hash}, ${device.userCode}, ${device.key}, ${device.clientId},
        ${device.resource}, ${device.scopes}, ${device.expiresAt}, ${device.intervalSeconds})`,
);

export const deviceByHash = prepared(
  ({ hash }: Params<{ hash: string }>) => sql`SELECT * FROM oauth_devices WHERE hash = ${hash}`,
  readDevice,
);

/** SQL condition: the request waits for a person's answer. */
const isOpen = (at: unknown) => sql`expires_at > ${at} AND denied_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM oauth_codes c WHERE c.hash = oauth_devices.hash)`;

export const openDeviceByUserCode = prepared(
  ({ userCode, at }: Params<{ userCode: string; at: Date }>) =>
    sql`SELECT * FROM oauth_devices WHERE user_code = ${userCode} AND ${isOpen(at)}`,
  readDevice,
);

interface Now {
  hash: string;
  at: Date;
}

export const openDeviceByHash = prepared(
  ({ hash, at }: Params<Now>) =>
    sql`SELECT * FROM oauth_devices WHERE hash = ${hash} AND ${isOpen(at)}`,
  readDevice,
);

export const denyDevice = preparedWrite(
  ({ hash, at }: Params<Now>) =>
    sql`UPDATE oauth_devices SET denied_at = ${at} WHERE hash = ${hash} AND ${isOpen(at)}`,
);

export const notePoll = preparedWrite(
  ({ hash, at, moreSeconds }: Params<Now & { moreSeconds: number }>) =>
    sql`UPDATE oauth_devices SET polled_at = ${at},
      interval_seconds = interval_seconds + ${moreSeconds} WHERE hash = ${hash}`,
);
