/** Text in quotes, a comment, a word, the end of a statement, or any other character. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\w+|;|[^\w;]/g;

/**
 * Splits a file of SQL into its statements, without their comments. A trigger is one statement, and so is everything
 * between BEGIN or CASE and its END.
 */
export function splitSql(text: string): string[] {
  const statements: string[] = [];
  let statement = "";
  let depth = 0;
  const end = () => {
    if (statement.trim() !== "") statements.push(statement.trim());
    statement = "";
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^(?:--|\/\*)/.test(token)) continue;
    const word = token.toUpperCase();
    if (word === "BEGIN" || word === "CASE") depth++;
    if (word === "END") depth--;
    if (token === ";" && depth === 0) end();
    else statement += token;
  }
  end();
  return statements;
}
