import { address, integer, text, type Body, type Check, type FieldTable } from "../state/fields.ts"
import { addressWord, stringWord, structHash, uintWord } from "./typed-hash.ts"

/** The struct hash of a Type B body whose fields are checked: the type's members, each from its field. */
export function structOfBody(structType: string, body: Body): Uint8Array {
  const words = membersOf(structType).map(({ type, field }) => wordOf(type, body[field]))
  return structHash(structType, ...words)
}

/** What each member's type asks of its field. */
export function tableOfType(structType: string): FieldTable {
  return Object.fromEntries(membersOf(structType).map(({ type, field }) => [field, checkOf(type)]))
}

type Member = { readonly type: string; readonly field: string }

/** `Name(address signerAddress,…)` as types and names in snake_case. */
function membersOf(structType: string): readonly Member[] {
  const members = /\((.*)\)$/.exec(structType)?.[1] ?? ""
  return members.split(",").map((member) => {
    const [type = "", name = ""] = member.split(" ")
    return { type, field: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
  })
}

function wordOf(type: string, value: unknown): Uint8Array {
  if (type === "address") return addressWord(String(value))
  return type === "string" ? stringWord(String(value)) : uintWord(Number(value))
}

function checkOf(type: string): Check {
  if (type === "address") return address
  if (type === "string") return text
  return integer(0, type === "uint32" ? 4_294_967_295 : Number.MAX_SAFE_INTEGER)
}
