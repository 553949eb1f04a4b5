export interface FileRoute {
  /** Of POST /upload/presign. */
  name: string;
  maxBytes: number;
  types: string[];
}

const { routes = "[]" } = document.querySelector<HTMLElement>("[data-routes]")?.dataset ?? {};

export const fileRoutes: FileRoute[] = JSON.parse(routes);
