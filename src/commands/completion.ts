import { Argument } from "commander"

import { command } from "./command.ts"
import { bashScript } from "./completion/bash-script.ts"
import { completables } from "./completion/completable.ts"
import { fishScript } from "./completion/fish-script.ts"
import { zshScript } from "./completion/zsh-script.ts"
import { taken } from "./options.ts"

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `countersign completion bash|zsh|fish` */
export const completion = command({
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
    // Here, as that imports this file.
    const { countersign } = await import("./countersign.ts")
    stdout.write(scripts[shell](completables(await countersign())))
    return 0
  },
})
