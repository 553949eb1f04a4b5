import type { EventState } from "../findings.ts";
import type { Service } from "./service.ts";

export interface Event extends EventState {
  id: string;
  teamId: number;
}

/** Reads the events day by day, because the service forgets them after 30 days. */
export class Feed {
  events: Event[] = [];
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  async read(): Promise<void> {
    const rows = await this.#service.sql(
      `SELECT id, team_id, name, json_extract(data, '$.uploadId') AS upload FROM events
        WHERE name LIKE 'upload.%' AND id > ? ORDER BY id`,
      this.events.at(-1)?.id ?? "",
    );
    for (const row of rows) {
      this.events.push({
        id: String(row.id),
        teamId: Number(row.team_id),
        name: String(row.name),
        uploadId: Number(row.upload),
      });
    }
  }

  /** After a restore: some events have never been. */
  async readAnew(): Promise<void> {
    this.events = [];
    await this.read();
  }
}
