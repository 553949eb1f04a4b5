import { type GraphCall, invalidParameter } from "./graph.ts";

/**
 * Answers with the metrics that a call asks for; one that the object does not have fails it all.
 *
 * @param known the names of those that there are
 */
export function insightsAnswer(
  { var: { params } }: GraphCall,
  id: string,
  known: readonly string[],
  values: Record<string, number>,
  form: "values" | "total_value" = "values",
): Response {
  const asked = (params.get("metric") ?? "").split(",").filter(Boolean);
  if (asked.length === 0) throw invalidParameter("The parameter metric is required");
  const odd = asked.find((name) => !known.includes(name));
  if (odd) {
    throw invalidParameter(`metric[0] must be one of the following values: ${known.join(", ")}`);
  }
  const data = asked.map((name) => {
    const value = values[name] ?? 0;
    return {
      ...{ name, period: "lifetime", title: name, description: "" },
      ...(form === "values" ? { values: [{ value }] } : { total_value: { value } }),
      id: `${id}/insights/${name}/lifetime`,
    };
  });
  return Response.json({ data });
}
