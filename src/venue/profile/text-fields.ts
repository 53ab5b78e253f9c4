// Texts of venue.yaml that several of its sections have.

import * as z from "zod"

import { textAs } from "../../std/yaml-file.ts"
import { parseAddress } from "../address.ts"
import { parsePointer } from "../json.ts"

/** A JSON Pointer into an answer, by its steps. */
export const steps = textAs(parsePointer, "expected a JSON Pointer like /data/mark_price")

export const addressText = textAs(
  parseAddress,
  "expected an address: 0x and 40 hex digits, with the right checksum if the case is mixed",
)

/** A path to be polled, with its query. `mark`, the source of a regular expression, is what is filled in there. */
export function polledPath(mark: string, message: string) {
  const pattern = String.raw`^(?=.{1,200}$)\/v1(?:\/(?:[\w.-]*[\w-]|${mark}))+(?:\?(?:[\w.~=&-]|${mark})+)?$`
  return z.string().regex(new RegExp(pattern), message)
}
