import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, type Protocol, type Seen } from "../protocol.ts";

const KINDS: ((fields: FormData) => void)[] = [
  () => {},
  (fields) => addPhotos(fields, 1),
  addVideo,
  (fields) => addPhotos(fields, 4),
  (fields) => fields.set("x_poll_options", "Once,Twice"),
];

const isSubmit = ({ method, url }: Seen) => method === "POST" && url.pathname === "/2/tweets";

export const x: Protocol = {
  platform: "x",
  refreshesOnce: true,
  textField: "title",
  maxUndecided: FEW_UNDECIDED,
  fill: (fields, i) => KINDS[i % KINDS.length]?.(fields),
  kindOf: (call) => {
    const { pathname } = call.url;
    if (pathname === "/2/oauth2/token") return "refresh";
    if (isSubmit(call)) return "submit";
    if (call.method === "POST") return "step";
    if (pathname === "/2/media/upload") return "status";
    return pathname.endsWith("/tweets") ? "look-up" : "read";
  },
  // The same text is refused the second time.
  keyOf: (call) => (isSubmit(call) ? (/"text":"([^"]*)"/.exec(call.body)?.[1] ?? null) : null),
};
