import { Argument, type Command as Reader } from "commander"

import { command, type Command } from "./cli/command.ts"
import { taken } from "./cli/options.ts"
import { bashScript } from "./completion/bash-script.ts"
import { completables } from "./completion/completable.ts"
import { fishScript } from "./completion/fish-script.ts"
import { zshScript } from "./completion/zsh-script.ts"

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
