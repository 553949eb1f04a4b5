/** A line of the runtime's output. */
export interface LogLine {
  timestamp: number;
  level: string;
  message: string;
}
