import { addPhotos, addVideo } from "../files.ts";
import { FEW_UNDECIDED, type Protocol, type Seen } from "../protocol.ts";

const KINDS: ((fields: FormData) => void)[] = [
  () => {},
  (fields) => addPhotos(fields, 1),
  addVideo,
  (fields) => addPhotos(fields, 4),
  (fields) => fields.set("mastodon_poll_options", "Once,Twice"),
];

const isSubmit = ({ method, url }: Seen) =>
  method === "POST" && url.pathname === "/api/v1/statuses";

export const mastodon: Protocol = {
  platform: "mastodon",
  refreshesOnce: false,
  textField: "description",
  maxUndecided: FEW_UNDECIDED,
  service: "https://mastodon.sandbox.test",
  fill: (fields, i) => KINDS[i % KINDS.length]?.(fields),
  kindOf: (call) => {
    const { pathname } = call.url;
    if (pathname === "/oauth/token") return "refresh";
    if (isSubmit(call)) return "submit";
    if (call.method === "POST") return "step";
    if (pathname.startsWith("/api/v1/media/")) return "status";
    return /\/statuses$|\/source$/.test(pathname) ? "look-up" : "read";
  },
  keyOf: (call) => (isSubmit(call) ? call.headers.get("idempotency-key") : null),
};
