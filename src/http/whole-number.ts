import * as z from "zod";
import { enableDescriptions } from "./describing.ts";

enableDescriptions();

/** A whole number of the query, from 1 to `max`. */
export const wholeNumber = (format: RegExp, max: number, defaultValue: number) =>
  z
    .string()
    .regex(format, `must be a whole number from 1 to ${max}`)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, `must be from 1 to ${max}`)
    .default(defaultValue)
    .openapi({ type: "integer", minimum: 1, maximum: max, default: defaultValue });
