import { parseDurationMs } from "../../std/time/duration.ts"
import { Fault } from "../../std/fault.ts"
import { command } from "../cli/command.ts"
import { flag, option, optionalArgument, parsed } from "../cli/options.ts"
import { passphraseFrom } from "../cli/secret-option.ts"
import { print, tell, type Printing } from "../cli/print.ts"
import { passphraseOption, type PassphraseOption } from "../installation/admin-command.ts"
import type { Admin, VaultAccess } from "../installation/admin.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
  tellChanged,
  type InstallationOptions,
} from "../installation/installation-command.ts"
import { withVault } from "../installation/with-vault.ts"
import { generateKey } from "../keys/generate.ts"
import { daysOf, findAgent, termOptions, untilText, type TermOptions } from "./renew.ts"
import { approveElsewhere, completeApproval, readSignatureText } from "./approve-elsewhere.ts"
import { approveHere, type AcceptedOperation } from "./send-signed.ts"

type ApproveOptions = TermOptions &
  PassphraseOption &
  InstallationOptions & {
    readonly name: string | undefined
    readonly wallet: string | undefined
    readonly external: boolean
    readonly chainId: number | undefined
    readonly generate: boolean
    readonly expiresIn: string | undefined
    readonly complete: string | undefined
    readonly signatureFile: string | undefined
    readonly json: boolean
  }

type Asked = ApproveOptions & Printing

/** `countersign agent approve NAME`: the vault signs, this process sends, the record tells. */
export const agentApprove = command<ApproveOptions>({
  description: "approve an agent key at the venue",
  examples: [
    "countersign agent approve mm --valid-days 30",
    "countersign agent approve mm --generate --wallet main --valid-days 30",
    "countersign agent approve mm --wallet 0x2c7536E3605D9C16a7a3D7b1898e529396a65c23 --external --valid-days 30",
    "countersign agent approve --complete rec_1 --signature-file signature.txt",
  ],
  options: {
    name: optionalArgument("[name]", "the agent key"),
    wallet: option(
      "--wallet <wallet>",
      "the agent's wallet key; with --external, the wallet's address",
    ),
    external: flag("--external", "the wallet's key is held elsewhere: print what it has to sign"),
    chainId: parsed(
      option(
        "--chain-id <id>",
        "with --external: which of venue.yaml's signature_chain_ids to sign under",
      ),
      parseChainId,
    ),
    generate: flag("--generate", "make the agent key first"),
    ...termOptions,
    expiresIn: option(
      "--expires-in <duration>",
      "how long the approval may wait to be sent, like 15m",
    ),
    complete: option(
      "--complete <record>",
      "send an approval that a wallet held elsewhere has signed",
    ),
    signatureFile: option(
      "--signature-file <file>",
      "with --complete: the file with the signature; standard input if left out",
    ),
    ...passphraseOption,
    ...installationOptions,
    ...jsonOption,
  },
  run: async (options, terminal) => {
    const asked = { ...options, terminal }
    const { complete } = options
    const work = complete === undefined ? approvalOf(asked) : completionOf(asked, complete)
    const access = accessFor(asked)
    const accepted = await withVault(access, work)
    tellChanged(access.installation, terminal)
    if (accepted !== undefined) print(accepted, asked, approvedLines)
    return 0
  },
})

function approvedLines({ record, key }: AcceptedOperation): readonly string[] {
  return [`${key.name} is approved ${untilText(key)} (record ${record}).`]
}

/** All else was said when the approval was described. */
function completionOf(asked: Asked, record: string) {
  const { name, external, generate: isNew, wallet, validDays, label } = asked
  const others = [name, wallet, validDays, label, asked.chainId]
  if (external || isNew || others.some((each) => each !== undefined)) {
    throw new Fault(
      "usage",
      "--complete takes only the record and --signature-file; leave the rest out.",
    )
  }
  const { signatureFile, terminal } = asked
  return async (admin: Admin) =>
    completeApproval(admin, record, await readSignatureText(signatureFile, terminal))
}

/** Checks what was typed before anything is opened. */
function approvalOf(asked: Asked) {
  const { name } = asked
  if (name === undefined)
    throw new Fault("usage", "Name the agent key: countersign agent approve NAME.")
  const { label = name, wallet, external } = asked
  if (asked.signatureFile !== undefined) {
    throw new Fault("usage", "--signature-file goes with --complete RECORD.")
  }
  const isAddress = wallet?.startsWith("0x") === true
  if (external !== isAddress) {
    throw new Fault(
      "usage",
      "--external and --wallet ADDRESS belong together: give both or neither.",
    )
  }
  if (asked.chainId !== undefined && !external) {
    throw new Fault(
      "usage",
      "--chain-id goes with --external: a key that is held here signs under any.",
    )
  }
  const ask = { agent: name, validDays: daysOf(asked), label, ...expiryOf(asked) }
  return async (admin: Admin): Promise<AcceptedOperation | undefined> => {
    const ownWallet = external ? undefined : wallet
    if (asked.generate) tell(asked.terminal, await generate(admin, name, ownWallet))
    else await assertWallet(admin, name, ownWallet)
    return external && wallet !== undefined
      ? approveElsewhere(admin, { ...ask, wallet, ...chainOf(asked) }, asked)
      : approveHere(admin, ask)
  }
}

/** Makes the key, and says so. */
async function generate(admin: Admin, name: string, wallet: string | undefined): Promise<string> {
  const ofWallet = wallet === undefined ? {} : { wallet }
  const key = await generateKey(admin, { name, role: "agent", ...ofWallet })
  return `${name} is made: agent key, address ${key.address}.`
}

/** `--wallet` can't change whose agent a key is. */
async function assertWallet(admin: Admin, name: string, wallet: string | undefined): Promise<void> {
  const agent = await findAgent(admin, name)
  if (wallet === undefined || wallet === agent.wallet) return
  const whose = agent.wallet ?? "no wallet key"
  throw new Fault("usage", `${name} is an agent of ${whose}, not of ${wallet}; leave --wallet out.`)
}

function parseChainId(text: string): number {
  const chainId = Number(text)
  if (/^\d{1,15}$/.test(text)) return chainId
  throw new Fault("usage", "--chain-id takes a whole number, such as 84256.")
}

function chainOf({ chainId }: ApproveOptions): { readonly chainId?: number } {
  return chainId === undefined ? {} : { chainId }
}

function expiryOf({ expiresIn }: ApproveOptions): { readonly expiresInMs?: number } {
  if (expiresIn === undefined) return {}
  const expiresInMs = parseDurationMs(expiresIn)
  if (expiresInMs === undefined) throw new Fault("usage", "--expires-in takes a duration like 15m.")
  return { expiresInMs }
}

/** A wallet elsewhere needs no private key from here. */
function accessFor(asked: Asked): VaultAccess {
  const { external, complete, generate: isNew, terminal, passphraseFile } = asked
  const isElsewhere = external || complete !== undefined
  const needsKeys = !isElsewhere || isNew
  const secret = needsKeys ? passphraseFrom(terminal, passphraseFile) : "without_keys"
  return { installation: installationOf(asked), secret }
}
