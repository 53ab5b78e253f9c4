import type { Command } from "../cli/command.ts"
import { confirmDeed, type Terminal } from "../cli/terminal.ts"
import { flag, joined, option, type Takes } from "../cli/options.ts"
import { passphraseFrom } from "../cli/secret-option.ts"
import type { Admin } from "./admin.ts"
import { installationCommand, type InstallationCommandShape } from "./installation-command.ts"
import { withVault } from "./with-vault.ts"

type AdminCommandShape<Options, Answer> = Omit<
  InstallationCommandShape<Options, Answer>,
  "answer"
> & {
  /** Of what makes or uses private keys: where no daemon runs, the keystore is opened. */
  readonly keys?: "needed"
  /** Of what can't be undone: the question that is asked first, unless `--yes` answers it. */
  readonly question?: (options: Options) => string
  /** What is to be done around asking, while the process is still who started it. */
  readonly around?: (options: Options, ask: () => Promise<Answer>) => Promise<Answer>
  /** Makes the calls. */
  readonly call: (admin: Admin, options: Options, terminal: Terminal) => Promise<Answer>
}

/** A command that asks the vault, the daemon's or one that it opens, and prints the answer. */
export function adminCommand<Answer, Options extends object = object>(
  shape: AdminCommandShape<Options, Answer>,
): Command {
  const { question, keys, around, call } = shape
  const more = {
    ...(question === undefined ? {} : yesOption),
    ...(keys === "needed" ? passphraseOption : {}),
  }
  return installationCommand<Answer, Options & Partial<YesOption & PassphraseOption>>({
    ...shape,
    options: joined(shape.options, more),
    answer: async (installation, options, terminal) => {
      const { yes, passphraseFile } = options
      if (question !== undefined && yes !== true) await confirmDeed(terminal, question(options))
      const secret = keys === "needed" ? passphraseFrom(terminal, passphraseFile) : "without_keys"
      const ask = () =>
        withVault({ installation, secret }, (admin) => call(admin, options, terminal))
      return around === undefined ? ask() : around(options, ask)
    },
  })
}

type YesOption = { readonly yes: boolean }
const yesOption: Takes<YesOption> = { yes: flag("--yes", "don't ask") }

export type PassphraseOption = { readonly passphraseFile: string | undefined }

/** Says where the keystore's passphrase is, for what opens it. */
export const passphraseOption: Takes<PassphraseOption> = {
  passphraseFile: option("--passphrase-file <file>", "overrides the file in countersign.yaml"),
}
