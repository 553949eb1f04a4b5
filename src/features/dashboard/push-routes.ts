import { Hono } from "hono";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";

/** The path makes the script the service worker of all pages below `/app`. */
export const pushWorker = new Hono<AppEnv>();

const WORKER_PATH = "/app/push-worker.js";

/** A click on a notice opens only pages of this origin. */
const WORKER = `
self.addEventListener("push", (event) => {
  const { title, body, path } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, data: { path }, tag: path }));
});
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data.path, self.location.origin);
  if (url.origin === self.location.origin) event.waitUntil(self.clients.openWindow(url.href));
});
`;

pushWorker.get(WORKER_PATH, async (c) => {
  await countVisitor(c, "read:pages");
  return c.body(WORKER, 200, {
    "content-type": "text/javascript; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
  });
});

/** The form stays hidden in browsers without push support. Replaces a subscription under another key. */
export const PUSH_SCRIPT = `
(() => {
  const form = document.getElementById("add-browser");
  const state = document.getElementById("browser-state");
  if (!form || !("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) return;
  form.hidden = false;
  document.getElementById("no-push").hidden = true;
  const subscribe = async () => {
    if (await Notification.requestPermission() !== "granted") {
      throw new Error("The browser does not let this page send notices. Allow it in the settings of the site, then try again.");
    }
    await navigator.serviceWorker.register("${WORKER_PATH}");
    const { pushManager } = await navigator.serviceWorker.ready;
    const options = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
    try {
      return await pushManager.subscribe(options);
    } catch (error) {
      if (error.name !== "InvalidStateError") throw error;
      await (await pushManager.getSubscription())?.unsubscribe();
      return pushManager.subscribe(options);
    }
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    state.textContent = "";
    try {
      const { endpoint, keys } = (await subscribe()).toJSON();
      Object.assign(form.elements.endpoint, { value: endpoint });
      Object.assign(form.elements.p256dh, { value: keys.p256dh });
      Object.assign(form.elements.auth, { value: keys.auth });
      form.submit();
    } catch (error) {
      state.textContent = error.message;
    }
  });
})();
`;
