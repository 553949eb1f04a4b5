import type { IDataObject, IExecuteFunctions, INodeProperties } from "n8n-workflow";

/** Carries out an operation for one input item; each entry becomes an output item. */
export type Operation = (node: IExecuteFunctions, itemIndex: number) => Promise<IDataObject[]>;

export interface Resource {
  properties: INodeProperties[];
  operations: Record<string, Operation>;
}

/** What an answer says, without the mark that it is no refusal. */
export const contentOf = (body: IDataObject): IDataObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== "success"));

/** The text of a parameter of any type. */
export const textOf = (node: IExecuteFunctions, name: string, itemIndex: number): string =>
  String(node.getNodeParameter(name, itemIndex, "", { extractValue: true }) ?? "").trim();

export const fieldsOf = (node: IExecuteFunctions, name: string, itemIndex: number): IDataObject =>
  node.getNodeParameter(name, itemIndex, {}) as IDataObject;

/** Leaves out what the person left empty. */
export const filled = (fields: IDataObject): IDataObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== "" && value !== undefined),
  );
