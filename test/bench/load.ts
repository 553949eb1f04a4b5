import { Agent, request as send } from "node:http";

/** One call of many; `i` counts them. */
export interface Call {
  method: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The status that is expected: anything else ends the run. */
  status: number;
}

export const CONNECTIONS = 16;

/** Sends calls over 16 connections, each one after the other, until `isOver`; how many were answered. */
export async function load(
  origin: string,
  callNumber: (i: number) => Call,
  isOver: (sent: number) => boolean,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let sent = 0;
  const connection = async () => {
    while (!isOver(sent)) {
      const call = callNumber(sent++);
      const status = await answerOf(agent, origin, call);
      if (status !== call.status) throw new Error(`${call.method} ${call.path} answered ${status}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  } finally {
    agent.destroy();
  }
  return sent;
}

export const forSeconds = (seconds: number) => {
  const end = performance.now() + seconds * 1_000;
  return () => performance.now() >= end;
};

function answerOf(agent: Agent, origin: string, call: Call): Promise<number> {
  const { method, headers, body } = call;
  return new Promise((resolve, reject) => {
    const request = send(origin + call.path, { agent, method, headers }, (response) => {
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.on("error", reject);
    request.setTimeout(30_000, () => request.destroy(new Error(`${call.path}: no answer in 30 s`)));
    request.end(body);
  });
}
