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

  /**
   * After a restore, some events have never been. A backup takes minutes, so a post that ended meanwhile may be in it
   * without its event: what was read before the loss counts for such posts.
   */
  async readAnew(): Promise<void> {
    const before = this.events;
    this.events = [];
    await this.read();
    const told = new Set(this.events.filter(isOutcome).map(({ uploadId }) => uploadId));
    const rows = await this.#service.sql(
      "SELECT id FROM uploads WHERE status IN ('completed', 'failed')",
    );
    const ended = new Set(rows.map(({ id }) => Number(id)));
    const lost = before.filter(
      (event) => isOutcome(event) && ended.has(event.uploadId) && !told.has(event.uploadId),
    );
    this.events = [...lost, ...this.events];
  }
}

export const isOutcome = ({ name }: Pick<Event, "name">): boolean =>
  name === "upload.completed" || name === "upload.failed";
