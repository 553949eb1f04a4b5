import { googleAppCheck } from "../google/app-check.ts";
import { NAME } from "./api.ts";

export const checkApp = googleAppCheck(NAME);
