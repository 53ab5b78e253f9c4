import { err, ok, type Result } from "../../std/result.ts"

/** A BIP-32 path from the master key on, and what each of its levels is as a number. */
export type DerivationPath = { readonly text: string; readonly indexes: readonly number[] }

/** BIP-44's first address of Ethereum (SLIP-44: 60), where wallets put their first account. */
export const defaultPathText = "m/44'/60'/0'/0/0"

/** BIP-44 has five levels; this leaves room and bounds the work. */
const maxLevels = 10

/** BIP-32: child numbers from 2^31 on are the hardened ones. */
const hardenedOffset = 2 ** 31

/**
 * Parses a path as BIP-32 writes it: `m`, then `/` and a number for each level, with `'` where it is
 * hardened. The error is a phrase that names the level and quotes nothing, since a secret may have been
 * pasted there.
 */
export function parseDerivationPath(text: string): Result<DerivationPath, string> {
  const [root, ...levels] = text.split("/")
  if (root !== "m" || levels.length === 0) return err("must start with m/")
  if (levels.length > maxLevels) {
    return err(`has ${levels.length} levels; ${maxLevels} are the most`)
  }
  const indexes: number[] = []
  for (const [position, level] of levels.entries()) {
    const index = parseLevel(level)
    if (!index.ok) return err(`${index.error} at level ${position + 1}`)
    indexes.push(index.value)
  }
  return ok({ text, indexes })
}

function parseLevel(level: string): Result<number, string> {
  const [, digits, mark] = /^(\d+)('?)$/.exec(level) ?? []
  if (digits === undefined) return err(mistakeIn(level))
  const number = Number(digits)
  if (number >= hardenedOffset) return err(`has a number over ${hardenedOffset - 1}`)
  if (String(number) !== digits) return err("has a number with a zero in front")
  return ok(mark === "'" ? number + hardenedOffset : number)
}

function mistakeIn(level: string): string {
  if (level === "") return "has nothing"
  if (/^\d+[hH]$/.test(level)) return "must mark a hardened number with ', not with h,"
  return "must have a number, with or without ' behind it,"
}
