import { resolve } from "node:path"

import { InvalidArgumentError } from "commander"

import { clientRights } from "../../link/calls/both-ways.ts"
import type { ClientView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { nearestWord } from "../../std/nearest-word.ts"
import { dayMs, durationWithin } from "../../std/time/duration.ts"
import { utcText } from "../../std/time/time-words.ts"
import { paperName, standsFor } from "../../venue/paper-key.ts"
import type { ClientRight } from "../../vault/ledger/records/bindings.ts"
import { outOption, withNewFile } from "../cli/new-file.ts"
import { option, parsed, repeated } from "../cli/command.ts"
import type { Admin } from "../installation/admin.ts"
import { generateKey } from "../keys/keys.ts"

/** `--right`, once for each. */
export const rightsOption = repeated(
  "--right <right>",
  `what it may do besides asking for signatures: ${clientRights.join(", ")}; once for each`,
  parseRight,
)

function parseRight(word: string): ClientRight {
  const right = clientRights.find((known) => known === word)
  if (right !== undefined) return right
  const nearest = nearestWord(word, clientRights)
  const meant = nearest === undefined ? "" : ` Did you mean ${nearest}?`
  throw new InvalidArgumentError(`Rights are ${clientRights.join(", ")}.${meant}`)
}

/** `--expires-in 30d`, in milliseconds: as long as the vault takes, a second to ten years. */
export function expiresInOption(description: string) {
  return parsed(
    option("--expires-in <duration>", description),
    (text) => durationWithin(text, 1_000, 3_650 * dayMs),
    "a duration like 30d, from 1s to 3650d",
  )
}

/** The names of `--keys`. @throws {Fault} `usage`, `name_unknown` with the one that was probably meant. */
export async function keysNamed(text: string, admin: Pick<Admin, "call">): Promise<string[]> {
  const names = text.split(",")
  if (names.includes("")) throw new Fault("usage", "--keys takes names, separated by commas.")
  const known = (await admin.call("listKeys", {})).map(({ name }) => name)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined) return names
  throw unknownName("key", wrong, known)
}

/** The paper keys that stand for these, made where there are none; secrets of their own, which nobody approves anywhere. */
export async function paperKeys(names: readonly string[], admin: Admin): Promise<string[]> {
  const known = new Set((await admin.call("listKeys", {})).map(({ name }) => name))
  const papers = names.map((name) => (standsFor(name) === undefined ? paperName(name) : name))
  for (const name of new Set(papers).difference(known)) {
    await generateKey(admin, { name, role: "agent" })
  }
  return papers
}

/** The client as it is. @throws {Fault} `name_unknown` with the one that was probably meant. */
export async function clientNamed(name: string, admin: Pick<Admin, "call">): Promise<ClientView> {
  const clients = await admin.call("listClients", {})
  const client = clients.find((each) => each.name === name)
  if (client !== undefined) return client
  const known = clients.map((each) => each.name)
  throw unknownName("client", name, known)
}

function unknownName(what: "key" | "client", name: string, known: readonly string[]): Fault {
  const nearest = nearestWord(name, known)
  const hint = nearest === undefined ? "" : `did you mean ${nearest}? `
  return new Fault(
    "name_unknown",
    `There is no ${what} ${name}; ${hint}countersign ${what}s list shows them.`,
  )
}

/** What becomes of its token by itself, for people. */
export function expiryWords({
  expires_at: expiresAtMs,
  expired,
}: Pick<ClientView, "expires_at" | "expired">): string {
  if (expiresAtMs === null) return "never expires"
  return `${expired ? "expired" : "expires"} at ${utcText(expiresAtMs)}`
}

/** An answer with a token in it, or with the file that has it instead. */
export type TokenAnswer = { readonly token: string | null; readonly file?: string | undefined }

export const tokenOutOption = { out: outOption("the token") }

/** Puts the token that is asked for into the file `out`, where one is named, and takes it out of the answer. */
export async function tokenInto<Answer extends TokenAnswer>(
  { out, name }: { readonly out: string | undefined; readonly name: string },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (out === undefined) return ask()
  const path = resolve(out)
  return withNewFile(path, async (file) => {
    const { token, ...answer } = await ask()
    await file.writeFile(`${token ?? ""}\n`).catch((cause: unknown) => {
      const message = `${path} can't be written, and the token is lost; make room and run: countersign clients rotate ${name}`
      throw new Fault("ledger_unavailable", message, { cause })
    })
    return { ...answer, token: null, file: path } as Answer // as it was, but for its token
  })
}

/** The token, or where it is, for people; `it` is what a sentence about it begins with. */
export function tokenLines({ token, file = "" }: TokenAnswer, it: string): readonly string[] {
  return token === null ? [`${it} is in ${file}.`] : [`${it} is shown this once:`, token]
}
