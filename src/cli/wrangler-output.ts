import { stripVTControlCharacters } from "node:util";

interface Sinks {
  log(line: string): void;
  show(line: string): void;
}

const ERROR = /^✘ \[ERROR\] |^\[wrangler:error\] /;
/** The runtime reports a client's hang-up as an error with a stack. */
const HANG_UP = /Broken pipe|kj::getCaughtExceptionAsKj/;
const OTHER = /^▲ \[WARNING\] |^\[wrangler:\w+\] /;
const CHATTER_AFTER_ERROR = /^\s*$|If you think this is a bug/;

function readUnsentMail(line: string): string | null {
  if (!line.startsWith('{"event":"mail.not_sent"')) return null;
  const { to, subject, text } = JSON.parse(line) as Record<"to" | "subject" | "text", string>;
  return `\nNo mail goes out from here. To ${to}: ${subject}\n\n${text}`;
}

/** JSON lines come from the Worker. An error continues until another kind of line starts. */
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
