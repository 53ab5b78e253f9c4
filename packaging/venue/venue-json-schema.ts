import * as z from "zod"

import { accountMapSchema } from "../../src/gate/reads/account-map.ts"
import { accountSchema, readPath } from "../../src/venue/profile/account-schema.ts"
import { profileSchema } from "../../src/venue/profile/profile-schema.ts"
import { venueKeys } from "./venue-keys.ts"

export type Json = Readonly<Record<string, unknown>>

/** The maps of venue.yaml by their paths, the file itself under `""`, each with its keys and their schemas. */
export type VenueMap = {
  readonly path: string
  readonly keys: Readonly<Record<string, Json>>
  readonly required: readonly string[]
}

/**
 * The JSON Schema (draft 2020-12) of venue.yaml, for editors to complete and check by. What needs two keys compared,
 * or a struct, an address or a URL read, is told when the file is loaded.
 */
export function venueJsonSchema(): Json {
  return described(fromZod(), "")
}

/** Every map of venue.yaml with its keys as the schema has them, in its order. */
export function venueMaps(json: Json = fromZod(), path = ""): readonly VenueMap[] {
  const keys = json["properties"] as VenueMap["keys"] | undefined
  const inner = innerOf(json)
  if (keys === undefined) return inner === undefined ? [] : venueMaps(inner, path)
  const required = (json["required"] ?? []) as readonly string[]
  const below = Object.entries(keys).flatMap(([key, each]) => venueMaps(each, pathTo(path, key)))
  return [{ path, keys, required }, ...below]
}

/** The path of a key under a map's. */
export function pathTo(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`
}

/** What the vault hands on as it is, the gate's schema says. */
function fromZod(): Json {
  const map = accountMapSchema(readPath).partial().shape
  const account = z.strictObject({ ...accountSchema.in.shape, ...map })
  const whole = profileSchema.extend({ account: account.optional() })
  return z.toJSONSchema(whole, { io: "input", unrepresentable: "any" })
}

/** What a list or a map by operation holds. */
function innerOf({ items, additionalProperties }: Json): Json | undefined {
  const inner = items ?? additionalProperties
  return typeof inner === "object" ? (inner as Json) : undefined
}

/** A schema with the description of each key, and with what YAML reads in the place of the daemon's texts. */
function described(json: Json, path: string): Json {
  const entries = Object.entries(json).map(([keyword, value]): [string, unknown] => {
    if (keyword === "properties") return [keyword, describedKeys(value as VenueMap["keys"], path)]
    const isInner = ["items", "additionalProperties"].includes(keyword) && typeof value === "object"
    return [keyword, isInner ? described(value as Json, path) : value]
  })
  return Object.fromEntries(
    entries.filter(([keyword, value]) => keyword !== "default" || isWord(value)),
  )
}

function describedKeys(keys: VenueMap["keys"], path: string): VenueMap["keys"] {
  return Object.fromEntries(
    Object.entries(keys).map(([key, each]) => {
      const { meaning: description, written } = venueKeys[pathTo(path, key)] ?? {}
      return [key, { description, ...(written ?? described(each, pathTo(path, key))) }]
    }),
  )
}

/** An empty map or list, which is there when it isn't written, says nothing. */
function isWord(value: unknown): boolean {
  return typeof value === "string"
}
