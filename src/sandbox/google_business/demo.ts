import { type DemoPosts, hello, sunset } from "../kit/demo.ts";

export const demoPosts: DemoPosts = (run) => {
  const offer = {
    title: "Sunsets at half price",
    description: sunset(run),
    google_business_topic: "offer",
    google_business_event_start: "2027-01-01",
    google_business_event_end: "2027-12-31",
    google_business_coupon_code: "SUNSET",
  };
  return [
    { what: "text", fields: { description: hello(run) } },
    { what: "offer", fields: offer, photos: 1 },
  ];
};
