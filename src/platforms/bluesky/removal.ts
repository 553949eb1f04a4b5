import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { MISSING, seen } from "../kit/rehearsals.ts";
import type { AccountCall, ReadBack, Removed } from "../removal.ts";
import {
  deleteRecordRequest,
  ENTRYWAY,
  getRecordRequest,
  readDoneReply,
  readGetRecordReply,
} from "./api.ts";
import { toRefused } from "./failures.ts";

/** @param uri `at://<did>/<collection>/<rkey>` */
const recordOf = ({ account }: AccountCall, uri: string) => ({
  repo: account.platformAccountId,
  rkey: uri.split("/").at(-1) ?? "",
});

export async function readBack(call: AccountCall, uri: string): Promise<Result<ReadBack, Stopped>> {
  const { account, fetch, now } = call;
  const request = getRecordRequest(account.service ?? ENTRYWAY, recordOf(call, uri));
  const reply = await readGetRecordReply(await fetch(request));
  if (reply.ok) return seen();
  return reply.error.name === "RecordNotFound" ? MISSING : refuse(toRefused(reply.error, now()));
}

export async function remove(call: AccountCall, uri: string): Promise<Result<Removed, Stopped>> {
  const { account, accessToken, fetch, now } = call;
  const service = account.service ?? ENTRYWAY;
  const request = deleteRecordRequest(service, accessToken, recordOf(call, uri));
  const reply = await readDoneReply(await fetch(request));
  return reply.ok ? ok("deleted") : refuse(toRefused(reply.error, now()));
}
