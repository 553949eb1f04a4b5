/** A statement of a migration by which the script before it may fail, and what is wrong with it. */
export interface Contraction {
  statement: string;
  problem: string;
}

const NAME = String.raw`[\x60"\[]?(\w+)[\x60"\]]?`;
const pattern = (text: string) => new RegExp(text.replaceAll(" ", String.raw`\s+`), "i");

interface Rule {
  /** Its first group is the table. */
  pattern: RegExp;
  problem: string;
}

const RULES: Rule[] = [
  { pattern: pattern(`^DROP TABLE (?:IF EXISTS )?${NAME}`), problem: "drops a table" },
  { pattern: pattern(`^ALTER TABLE ${NAME} DROP`), problem: "drops a column" },
  { pattern: pattern(`^ALTER TABLE ${NAME} RENAME`), problem: "renames a table or a column" },
  {
    pattern: pattern(`^ALTER TABLE ${NAME} ADD(?![^;]*\\bDEFAULT\\b)[^;]*\\bNOT NULL\\b`),
    problem: "adds a column that every insert would have to name",
  },
  {
    pattern: pattern(`^ALTER TABLE ${NAME} ADD[^;]*\\b(?:CHECK|REFERENCES|UNIQUE)\\b`),
    problem: "adds a column with a constraint",
  },
  {
    pattern: pattern(`^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?\\S+ ON ${NAME}`),
    problem: "makes values unique that were not",
  },
  {
    pattern: pattern(
      `^CREATE (?:TEMP |TEMPORARY )?TRIGGER (?:IF NOT EXISTS )?\\S+ [^;]*?\\bON ${NAME}`,
    ),
    problem: "adds a trigger to a table that the script before writes",
  },
  { pattern: pattern(`^DELETE FROM ${NAME}`), problem: "deletes rows" },
];

/** Triggers and views have no table in their statement. */
const NAMED_RULES: Rule[] = [
  { pattern: pattern(`^DROP TRIGGER (?:IF EXISTS )?${NAME}`), problem: "drops a trigger" },
  { pattern: pattern(`^DROP VIEW (?:IF EXISTS )?${NAME}`), problem: "drops a view" },
];

const withoutComments = (statement: string): string =>
  statement
    .replaceAll(/\/\*[\s\S]*?\*\//g, " ")
    .replaceAll(/--[^\n]*/g, " ")
    .trim();

/**
 * The statements by which a script that knows only the schema before them may fail or lose data.
 *
 * @param statements of all new migrations, in their order: what they make themselves, no earlier script knows
 */
export function findContractions(statements: string[]): Contraction[] {
  const made = new Set<string>();
  const found: Contraction[] = [];
  for (const statement of statements.map(withoutComments)) {
    const create = pattern(`^CREATE (?:TABLE|TRIGGER|VIEW) (?:IF NOT EXISTS )?${NAME}`).exec(
      statement,
    )?.[1];
    for (const { pattern: rule, problem } of [...RULES, ...NAMED_RULES]) {
      const name = rule.exec(statement)?.[1];
      if (name !== undefined && !made.has(name)) found.push({ statement, problem });
    }
    if (create !== undefined) made.add(create);
  }
  return found;
}
