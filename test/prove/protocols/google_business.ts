import { FEW_UNDECIDED, type Protocol } from "../protocol.ts";

const DAYS = {
  title: "Open day",
  google_business_event_start: "2030-01-01",
  google_business_event_end: "2030-01-02T18:00",
};

export const googleBusiness: Protocol = {
  platform: "google_business",
  refreshesOnce: false,
  textField: "description",
  maxUndecided: FEW_UNDECIDED,
  fill: (fields, i) => {
    if (i % 3 === 0) return;
    for (const [name, value] of Object.entries(DAYS)) fields.set(name, value);
    fields.set("google_business_topic", i % 3 === 1 ? "event" : "offer");
  },
  kindOf: ({ method, url: { hostname, pathname } }) => {
    if (hostname === "oauth2.googleapis.com") return "refresh";
    if (hostname !== "mybusiness.googleapis.com") return "read";
    if (!pathname.endsWith("/localPosts")) return "status";
    return method === "POST" ? "submit" : "look-up";
  },
  keyOf: () => null,
};
