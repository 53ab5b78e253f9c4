import { readFileSync, statSync } from "node:fs"

import { keepOutput, registerIfSecret, registerSecret } from "./canaries.ts"

/** What a test gives that is longer is there to be refused for its length. */
const mostSecretBytes = 1_024

/** Options whose file holds a secret. */
const secretFileOptions = [
  "--passphrase-file",
  "--password-file",
  "--keystore-password-file",
  "--mnemonic-passphrase-file",
  "--from",
]

/** Commands that read a secret from standard input. */
const readSecrets = ["keys", "init", "serve", "unlock"]

/** Commands whose standard output shows a token, once: that is what they are for. */
const showTokens = ["clients add", "clients rotate", "demo"]
const token = /cs_[\w-]{43}/g

/** Registers the secrets that a command is given. A v3 file is none. */
export function registerGiven(args: readonly string[], input: string | Buffer = ""): void {
  for (const option of secretFileOptions) {
    const file = args.includes(option) ? args[args.indexOf(option) + 1] : undefined
    registerText(`what ${option} names`, readSmallFile(file))
  }
  if (readSecrets.includes(args[0] ?? "")) {
    registerText(`what countersign ${verbOf(args)} is given`, input.toString())
  }
}

/** Keeps what a command printed, and registers the token that it showed. */
export function keepPrinted(
  args: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): void {
  const verb = verbOf(args)
  const isShown = showTokens.includes(verb)
  const tokens = isShown ? (stdout.match(token) ?? []) : []
  for (const each of tokens) registerSecret(`the token shown by countersign ${verb}`, each)
  keepOutput(`stdout of countersign ${verb}`, `${isShown ? stdout.replace(token, "…") : stdout}\n`)
  keepOutput(`stderr of countersign ${verb}`, `${stderr}\n`)
}

function registerText(name: string, text: string): void {
  const isV3 = text.startsWith("{")
  if (!isV3 && text.length <= mostSecretBytes) registerIfSecret(name, text.trim())
}

/** The words before the options and the names: `keys import`, `serve`. Never an argument, which may be a secret. */
export function verbOf(args: readonly string[]): string {
  const isGroup = /^(agent|audit|clients|clock|held|keys|limits|policy|prices)$/.test(args[0] ?? "")
  return args.slice(0, isGroup ? 2 : 1).join(" ")
}

function readSmallFile(path = ""): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && stat.size <= mostSecretBytes ? readFileSync(path, "utf8") : ""
}
