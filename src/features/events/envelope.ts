import type { Envelope, EventName } from "./catalogue.ts";

export interface StoredEvent {
  id: string;
  event: EventName;
  createdAt: Date;
  /** JSON text. */
  data: string;
}

/**
 * The signed webhook body. `data` stays as stored, so that every attempt sends the same bytes. Source: spec, "Events",
 * envelope.
 */
export const envelopeText = ({ id, event, createdAt, data }: StoredEvent): string =>
  `{"id":${JSON.stringify(id)},"event":${JSON.stringify(event)},"createdAt":"${createdAt.toISOString()}","data":${data}}`;

export const toEnvelope = (stored: StoredEvent): Envelope => JSON.parse(envelopeText(stored));
