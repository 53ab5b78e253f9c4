import { Argument, Option, type Command as Reader } from "commander"

import { command, type Command, taken } from "./cli/command.ts"
import {
  bashScript,
  fishScript,
  zshScript,
  type Completable,
  type CompletableOption,
  type CompletableValue,
} from "./completion-scripts.ts"

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `countersign completion bash|zsh|fish`; `readAll` makes the whole command line, this one with it. */
export function completion(readAll: () => Promise<Reader>): Command {
  return command({
    description: "print a script that completes command lines in your shell",
    notes: `
To have it in every new shell:
  bash  put the first line below into ~/.bashrc
  zsh   write it into a directory of $fpath as _countersign, and run compinit
  fish  write it into ~/.config/fish/completions`,
    examples: [
      "source <(countersign completion bash)",
      "countersign completion zsh > ~/.zfunc/_countersign",
      "countersign completion fish > ~/.config/fish/completions/countersign.fish",
    ],
    options: {
      shell: taken<keyof typeof scripts, Argument>(
        new Argument("<shell>", "the shell that reads the script").choices(Object.keys(scripts)),
      ),
    },
    run: async ({ shell }, { stdout }) => {
      stdout.write(scripts[shell](completables(await readAll())))
      return 0
    },
  })
}

/** The program and every command below it, in the order of `--help`. */
export function completables(program: Reader): readonly Completable[] {
  return below(program, "")
}

function below(command: Reader, words: string): readonly Completable[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const own: Completable = {
    words,
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).map(optionOf),
    argument: command.registeredArguments.map(valueOf)[0],
  }
  const others = commands.filter((each) => each.name() !== "help")
  return [own, ...others.flatMap((each) => below(each, `${words} ${each.name()}`.trimStart()))]
}

function optionOf(option: Option): CompletableOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: option.required || option.optional ? valueOf(option) : undefined,
  }
}

/** What the placeholder of an option, `<file>`, or the name of an argument says of its values. */
const kinds: ReadonlyMap<string, CompletableValue> = new Map([
  ["file", { kind: "file" }],
  ["payload", { kind: "file" }],
  ["dir", { kind: "directory" }],
])

function valueOf(from: Option | Argument): CompletableValue {
  if (from.argChoices !== undefined) return { kind: "choices", choices: from.argChoices }
  const name = from instanceof Option ? /[<[]([^>\].]+)/.exec(from.flags)?.[1] : from.name()
  return kinds.get(name ?? "") ?? { kind: "unknown" }
}
