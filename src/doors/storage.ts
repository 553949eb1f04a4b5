import { cors } from "hono/cors";
import {
  refuseOther,
  renderStorageError,
  storageRoutes,
} from "../features/presign/storage-routes.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";

/** The addresses are signed, so that no token is needed. */
export function createStorage(makeDeps: MakeDeps) {
  const app = createDoor(makeDeps);
  app.onError(renderStorageError);
  app.notFound(refuseOther);
  app.use(
    cors({
      origin: "*",
      allowMethods: ["POST", "DELETE"],
      allowHeaders: ["content-type"],
      exposeHeaders: ["etag", "x-request-id"],
      maxAge: 86_400,
    }),
  );
  app.route("/", storageRoutes);
  return app;
}
