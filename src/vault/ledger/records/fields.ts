import * as z from "zod"

import { parseAddress, type Address } from "../../../venue/address.ts"
import type { OperationId } from "../../../venue/profile.ts"

// What fields of rows have in common.

export const text = z.string()
/** Also a time in milliseconds; below 2^53. */
export const whole = z.int().nonnegative()
export const decimalText = z.string().regex(/^\d+(?:\.\d+)?$/)
/** In EIP-55 form. */
export const addressSchema = z.custom<Address>(
  (each) => typeof each === "string" && parseAddress(each) === each,
  "no address",
)
/** A later version may have others. */
export const operationSchema = z.custom<OperationId>((each) => typeof each === "string")
