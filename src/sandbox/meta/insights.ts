import { type GraphCall, invalidParameter } from "./graph.ts";

type Form = "values" | "total_value";

/**
 * The asked metrics of an object.
 *
 * @param known the names of those that there are
 * @throws Refusal for one that the object does not have
 */
export function insightsOf(
  id: string,
  asked: readonly string[],
  known: readonly string[],
  values: Record<string, number>,
  form: Form = "values",
): object[] {
  if (asked.length === 0) throw invalidParameter("The parameter metric is required");
  if (asked.some((name) => !known.includes(name))) {
    throw invalidParameter(`metric[0] must be one of the following values: ${known.join(", ")}`);
  }
  return asked.map((name) => {
    const value = values[name] ?? 0;
    return {
      ...{ name, period: "lifetime", title: name, description: "" },
      ...(form === "values" ? { values: [{ value }] } : { total_value: { value } }),
      id: `${id}/insights/${name}/lifetime`,
    };
  });
}

const toNames = (text: string): string[] => text.split(",").filter(Boolean);

/** The metrics that a field list asks for, as in `id,insights.metric(views,likes)`; null for none. */
export function metricsAsked(fields: string | undefined): string[] | null {
  const names = /(?:^|,)insights\.metric\(([\w,]*)\)/.exec(fields ?? "")?.[1];
  return names === undefined ? null : toNames(names);
}

/** As `insightsOf`, by the metrics that a call asks for. */
export function insightsAnswer(
  { var: { params } }: GraphCall,
  id: string,
  known: readonly string[],
  values: Record<string, number>,
  form: Form = "values",
): Response {
  const asked = toNames(params.get("metric") ?? "");
  return Response.json({ data: insightsOf(id, asked, known, values, form) });
}
