import { type GraphCall, invalidParameter } from "./graph.ts";

type Form = "values" | "total_value";

export function insightsOf(
  id: string,
  metrics: readonly string[],
  allowed: readonly string[],
  values: Record<string, number>,
  form: Form = "values",
): object[] {
  if (metrics.length === 0) throw invalidParameter("The parameter metric is required");
  if (metrics.some((name) => !allowed.includes(name))) {
    throw invalidParameter(`metric[0] must be one of the following values: ${allowed.join(", ")}`);
  }
  return metrics.map((name) => {
    const value = values[name] ?? 0;
    return {
      name,
      period: "lifetime",
      title: name,
      description: "",
      ...(form === "values" ? { values: [{ value }] } : { total_value: { value } }),
      id: `${id}/insights/${name}/lifetime`,
    };
  });
}

const toNames = (text: string): string[] => text.split(",").filter(Boolean);

/** Reads a field list such as `id,insights.metric(views,likes)`. */
export function requestedMetrics(fields: string | undefined): string[] | null {
  const names = /(?:^|,)insights\.metric\(([\w,]*)\)/.exec(fields ?? "")?.[1];
  return names === undefined ? null : toNames(names);
}

export function insightsAnswer(
  { var: { params } }: GraphCall,
  id: string,
  allowed: readonly string[],
  values: Record<string, number>,
  form: Form = "values",
): Response {
  const metrics = toNames(params.get("metric") ?? "");
  return Response.json({ data: insightsOf(id, metrics, allowed, values, form) });
}
