/** The code with which a sign-in ends whose address is proven, but which no open invite lets in. */
export const NOT_INVITED = "NOT_INVITED";

/** Refusals of better-auth in words for the person; any other is told in general terms. */
const REFUSALS: Record<string, string> = {
  SESSION_NOT_FRESH: "You signed in more than a day ago. Sign out, sign in again, then add it.",
  SESSION_REQUIRED: "You are signed out. Sign in, then try again.",
  UNAUTHORIZED: "You are signed out. Sign in, then try again.",
  USER_NOT_VERIFIED:
    "The device did not check who you are. Set up a PIN or fingerprint on it, then try again.",
  CHALLENGE_NOT_FOUND: "That took too long. Try again.",
  PASSKEY_NOT_FOUND: "This passkey is not known here. Sign in by mail, then add it.",
};

/** Returns the words for a refusal of a passkey. */
export const passkeyRefusal = (code: string | undefined): string =>
  REFUSALS[code ?? ""] ?? "The passkey was not accepted. Try again, or sign in by mail.";

/** The mail that brings a sign-in link. */
export const describeLinkMail = (link: string): { subject: string; text: string } => ({
  subject: "Your sign-in link for Akimbo",
  text: [
    "Open this link to sign in to Akimbo. It works once, within 15 minutes:",
    "",
    link,
    "",
    "If you did not ask for it, delete this mail: nobody is signed in without the link.",
    "",
  ].join("\n"),
});

const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|Chromium)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** Returns a browser as a person knows it, such as "Firefox on Windows". */
export function describeBrowser(userAgent: string | null): string {
  const find = (list: typeof BROWSERS) =>
    list.find(([, pattern]) => pattern.test(userAgent ?? ""))?.[0];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (!browser) return system ? `A browser on ${system}` : "An unknown browser";
  return system ? `${browser} on ${system}` : browser;
}
