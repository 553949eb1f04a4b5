import type { Context } from "hono";

const NO_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 72"><path d="M20 24h32M20 36h32M20 48h18" stroke="#868da3" stroke-width="4" stroke-linecap="round"/></svg>`;

export const sendNoPicture = (c: Context): Response =>
  c.body(NO_PICTURE, 200, {
    "Content-Type": "image/svg+xml",
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "private, max-age=3600",
  });
