import { ofLogin } from "../../../src/cli/login/credential.ts";

/** Asks for the token of the login in this file, and prints it. */
const [path = "", origin = ""] = process.argv.slice(2);
const { authorization } = await ofLogin({ origin, path, remedy: "akimbo login" }).header();
console.log(authorization);
