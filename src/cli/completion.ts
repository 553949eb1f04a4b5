import { type Command, Option } from "commander";

interface Words {
  path: string;
  description: string;
  subcommands: readonly { name: string; description: string }[];
  options: readonly { flag: string; description: string; values: readonly string[] }[];
  values: readonly string[];
}

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

export function addCompletionCommand(program: Command): void {
  program
    .command("completion")
    .description("prints the completions for a shell: bash, zsh or fish")
    .addArgument(program.createArgument("<shell>", "bash, zsh or fish").choices(SHELLS))
    .addHelpText("after", COMPLETION_HELP)
    .action((shell: Shell) => console.log(WRITERS[shell](wordsOf(program, ""))));
}

const COMPLETION_HELP = `
Where they go:
  akimbo completion bash > ~/.local/share/bash-completion/completions/akimbo
  akimbo completion zsh > ~/.zfunc/_akimbo    (with fpath+=~/.zfunc before compinit)
  akimbo completion fish > ~/.config/fish/completions/akimbo.fish`;

function wordsOf(command: Command, path: string): Words[] {
  const own: Words = {
    path,
    description: command.description(),
    subcommands: command.commands.map((one) => ({
      name: one.name(),
      description: one.description(),
    })),
    values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    options: [...command.options, new Option("--help", "shows what there is")].flatMap(
      ({ long: flag, description, argChoices: values = [] }) =>
        flag ? [{ flag, description, values }] : [],
    ),
  };
  const below = command.commands.flatMap((one) => wordsOf(one, `${path} ${one.name()}`.trim()));
  return [own, ...below];
}

const allWords = ({ subcommands, options, values }: Words): string =>
  [...subcommands.map(({ name }) => name), ...values, ...options.map(({ flag }) => flag)].join(" ");

/** Writes shell `case` branches over `$path`, with the words for each command. */
const branches = (all: readonly Words[]): string =>
  all.map((words) => `    "${words.path}") words="${allWords(words)}" ;;`).join("\n");

/** Writes shell `case` branches over `$path $previous`, with the values of each option. */
const valueBranches = (all: readonly Words[]): string =>
  all
    .flatMap(({ path, options }) =>
      options.flatMap(({ flag, values }) =>
        values.length > 0 ? [`    "${path} ${flag}") words="${values.join(" ")}" ;;`] : [],
      ),
    )
    .join("\n");

const parentsOf = (all: readonly Words[]): string =>
  all.flatMap(({ path, subcommands }) => (path && subcommands.length > 0 ? [path] : [])).join("|");

const writeBash = (all: readonly Words[]): string => `# Completions of akimbo for bash.
_akimbo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" words=""
  if [ "$COMP_CWORD" -gt 1 ]; then path="\${COMP_WORDS[1]}"; fi
  case "$path" in
    ${parentsOf(all)}) if [ "$COMP_CWORD" -gt 2 ]; then path="$path \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$path" in
${branches(all)}
  esac
  case "$path $previous" in
${valueBranches(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _akimbo akimbo`;

const writeZsh = (all: readonly Words[]): string => `#compdef akimbo
# Completions of akimbo for zsh.
_akimbo() {
  local path_="" words_=""
  if (( CURRENT > 2 )); then path_="\${words[2]}"; fi
  case "$path_" in
    ${parentsOf(all)}) if (( CURRENT > 3 )); then path_="$path_ \${words[3]}"; fi ;;
  esac
  case "$path_" in
${branches(all).replaceAll(' words="', ' words_="')}
  esac
  case "$path_ \${words[CURRENT-1]}" in
${valueBranches(all).replaceAll(' words="', ' words_="')}
  esac
  compadd -- \${=words_}
  [[ "\${words[CURRENT]}" == -* ]] || _files
}
# As a file of fpath it is itself what is called first.
if [ "\${funcstack[1]}" = "_akimbo" ]; then _akimbo "$@"; else compdef _akimbo akimbo; fi`;

const quoteFish = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;

function writeFish(all: readonly Words[]): string {
  const lines = all.flatMap(({ path, subcommands, options, values }) => {
    const when = path
      ? path
          .split(" ")
          .map((word) => `__fish_seen_subcommand_from ${word}`)
          .join("; and ")
      : "__fish_use_subcommand";
    const start = `complete -c akimbo -n ${quoteFish(when)}`;
    return [
      ...subcommands.map(
        ({ name, description }) => `${start} -f -a ${name} -d ${quoteFish(description)}`,
      ),
      ...values.map((value) => `${start} -f -a ${value}`),
      ...options.map(({ flag, description, values: offered }) => {
        const choice = offered.length > 0 ? ` -x -a ${quoteFish(offered.join(" "))}` : "";
        return `${start} -l ${flag.slice(2)}${choice} -d ${quoteFish(description)}`;
      }),
    ];
  });
  return ["# Completions of akimbo for fish.", ...lines].join("\n");
}

const WRITERS: Record<Shell, (all: readonly Words[]) => string> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};
