import type * as z from "zod";
import { randomHex } from "../../core/ids.ts";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

const logId = (): string => randomHex(16);

export const refusal = (
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): Refusal => new Refusal(status, { data: {}, error: { code, message, log_id: logId() } }, headers);

export const invalidParams = (message: string) => refusal(400, "invalid_params", message);

export const answer = (data: object): Response =>
  Response.json({ data, error: { code: "ok", message: "", log_id: logId() } });

export const readInput = <T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> =>
  readJson(call, shape, {
    maxBytes: 100_000,
    mayBeEmpty: true,
    wrongType: (type) => invalidParams(`The Content-Type must be application/json, not "${type}"`),
    notJson: () => invalidParams("The request body is not valid JSON"),
    invalid: ({ path, message }) =>
      invalidParams(`Invalid ${path.join(".") || "body"}: ${message}`),
  });
