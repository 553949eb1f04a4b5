import { stripVTControlCharacters } from "node:util";

/** Where the lines of `wrangler dev` go. */
interface Sinks {
  /** The Worker's own lines, and every error. */
  log(line: string): void;
  /** Errors, and mail that was not sent: the terminal. */
  show(line: string): void;
}

const ERROR = /^✘ \[ERROR\] |^\[wrangler:error\] /;
/** A caller that hung up is no error of ours, though the runtime says so with its own stack. */
const HANG_UP = /Broken pipe|kj::getCaughtExceptionAsKj/;
const OTHER = /^▲ \[WARNING\] |^\[wrangler:\w+\] /;
const CHATTER_AFTER_ERROR = /^\s*$|If you think this is a bug/;

/** The mail that the Worker would have sent, for whoever runs it here; null for any other line. */
function readUnsentMail(line: string): string | null {
  if (!line.startsWith('{"event":"mail.not_sent"')) return null;
  const { to, subject, text } = JSON.parse(line) as Record<"to" | "subject" | "text", string>;
  return `\nNo mail goes out from here. To ${to}: ${subject}\n\n${text}`;
}

/**
 * Sorts one stream of `wrangler dev`, line by line: JSON lines are the Worker's, an error runs on until
 * something else begins, and the rest is chatter.
 */
export function createLineSorter({ log, show }: Sinks): (line: string) => void {
  let isInError = false;
  return (coloured) => {
    const line = stripVTControlCharacters(coloured);
    if (line.startsWith("{")) {
      isInError = false;
      log(line);
      const mail = readUnsentMail(line);
      if (mail) show(mail);
      return;
    }
    if (HANG_UP.test(line)) isInError = false;
    else if (ERROR.test(line)) isInError = true;
    else if (OTHER.test(line)) isInError = false;
    if (!isInError || CHATTER_AFTER_ERROR.test(line)) return;
    const text = line.replace(ERROR, "");
    log(text);
    show(text);
  };
}
