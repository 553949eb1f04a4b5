const REFUSALS: Record<string, string> = {
  SESSION_NOT_FRESH: "You signed in more than a day ago. Sign out, sign in again, then add it.",
  UNAUTHORIZED: "You are signed out. Sign in, then try again.",
  USER_NOT_VERIFIED:
    "The device did not check who you are. Set up a PIN or fingerprint on it, then try again.",
  CHALLENGE_NOT_FOUND: "That took too long. Try again.",
  PASSKEY_NOT_FOUND: "This passkey is not known here. Sign in by mail, then add it.",
};

export const passkeyRefusal = (code: string): string =>
  REFUSALS[code] ?? "The passkey was not accepted. Try again, or sign in by mail.";

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
