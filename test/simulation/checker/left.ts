import type { BotResults } from "../../../src/link/calls/methods.ts"
import type { Asked } from "../asked.ts"
import { keyName, type Recorded } from "./journal.ts"

export type Signed = Extract<BotResults["sign"], { readonly kind: "answer" }>

/** Every signature that ever left. No crash and no older copy of the ledger takes one of them back. */
export class Left {
  readonly #byNonce = new Map<string, string>()
  readonly #byRecord = new Map<string, string>()
  /** Records whose answer said that it was the first. */
  readonly #firsts = new Set<string>()
  readonly #lastNonces = new Map<string, number>()

  /** The highest nonces by now. */
  lastNonces(): ReadonlyMap<string, number> {
    return new Map(this.#lastNonces)
  }

  has(record: string): boolean {
    return this.#byRecord.has(record)
  }

  /** One more leaves. `since` are the highest nonces that had left when it was asked for. */
  add(
    { body, record, repeat }: Signed,
    { row }: Recorded,
    since: ReadonlyMap<string, number>,
  ): void {
    const { signer, nonce, idempotency } = row
    assertSame(this.#byRecord.get(record), body, "two signatures for one record")
    assertSame(this.#byNonce.get(`${signer} ${nonce}`), body, "a nonce left twice")
    if (idempotency === undefined) {
      if (this.has(record)) throw new Error("a record without a key left twice")
      if (nonce <= (since.get(signer) ?? 0)) throw new Error(`the nonce ${nonce} left late`)
    }
    if (repeat === "first") this.#addFirst(record)
    this.#byNonce.set(`${signer} ${nonce}`, body)
    this.#byRecord.set(record, body)
    this.#lastNonces.set(signer, Math.max(nonce, this.#lastNonces.get(signer) ?? 0))
  }

  #addFirst(record: string): void {
    if (this.#firsts.has(record)) throw new Error("two were the first of a key")
    this.#firsts.add(record)
  }
}

function assertSame(earlier: string | undefined, body: string, otherwise: string): void {
  if (earlier !== undefined && earlier !== body) throw new Error(otherwise)
}

/** That a record is of what was asked, under the key that it was asked with. @throws {Error} */
export function checkBelongs(
  asked: Asked,
  { path, expiresAfter, repeat }: Signed,
  { row }: Recorded,
): void {
  const own = [asked.bot.name, asked.key, asked.path, asked.purpose, asked.path]
  const recorded = [row.client, row.key, row.path, row.purpose, path]
  if (own.some((value, index) => value !== recorded[index])) {
    throw new Error("a signature left for another request's record")
  }
  if (expiresAfter !== row.expires_after) throw new Error("the answer's expiry isn't the record's")
  const name = asked.idempotency && keyName(asked.bot.name, asked.idempotency)
  const recordedName = row.idempotency && keyName(row.client, row.idempotency)
  if (name !== recordedName) throw new Error("a signature left for another key's record")
  if ((name === undefined) !== (repeat === undefined))
    throw new Error("repeat is told of what has no key")
}
