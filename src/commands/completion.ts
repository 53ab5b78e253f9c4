import { Argument, type Command } from "commander"

import { command, runs, withExamples } from "./command.ts"
import { bashScript } from "./completion/bash-script.ts"
import { completables } from "./completion/completable.ts"
import { fishScript } from "./completion/fish-script.ts"
import { zshScript } from "./completion/zsh-script.ts"
import type { Printing } from "./print.ts"

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `countersign completion bash|zsh|fish` */
export function completion(): Command {
  const made = command("completion", "print a script that completes command lines in your shell")
  made.addArgument(
    new Argument("<shell>", "the shell that reads the script").choices(Object.keys(scripts)),
  )
  withExamples(
    made.addHelpText("after", installing),
    "source <(countersign completion bash)",
    "countersign completion zsh > ~/.zfunc/_countersign",
    "countersign completion fish > ~/.config/fish/completions/countersign.fish",
  )
  return runs<Printing>(made, (_options, shell) => {
    // commander has checked the word against the choices.
    const script = scripts[shell as keyof typeof scripts]
    process.stdout.write(script(completables(rootOf(made))))
    return Promise.resolve()
  })
}

const installing = `
To have it in every new shell:
  bash  put the first line below into ~/.bashrc
  zsh   write it into a directory of $fpath as _countersign, and run compinit
  fish  write it into ~/.config/fish/completions`

function rootOf(made: Command): Command {
  return made.parent === null ? made : rootOf(made.parent)
}
