import { z } from "zod"

import { parseDecimal, type Decimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"
import { tell } from "./described.ts"
import { notAboveZero, parseAboveZero, parseSymbol, unknownSymbol } from "./policy-scalars.ts"
import type { SizeBound } from "./policy.ts"

const number = { type: ["string", "number"] }

/** One amount for all, or a map from symbols to theirs, with `default` for the others. */
export function sizeBound(symbols: SymbolTable) {
  return z
    .unknown()
    .transform((input, context): SizeBound => {
      const problem = (message: string, ...path: string[]): SizeBound => {
        tell(context, message, ...path)
        return z.NEVER
      }
      if (typeof input === "string") {
        const amount = parseAboveZero(input)
        return amount === undefined ? problem(notAboveZero(input)) : { kind: "scalar", amount }
      }
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        return problem("must be a number or a map from symbols to numbers")
      }
      const written = Object.entries(input)
      if (written.length === 0) return problem("must name at least one symbol")
      return boundBySymbol(written, symbols, problem)
    })
    .meta({ written: { anyOf: [number, { type: "object", additionalProperties: number }] } })
}

function boundBySymbol(
  written: readonly (readonly [string, unknown])[],
  symbols: SymbolTable,
  problem: (message: string, ...path: string[]) => void,
): SizeBound {
  const amountBySymbol = new Map<number, Decimal>()
  let defaultAmount: Decimal | undefined
  for (const [name, text] of written) {
    const amount = typeof text === "string" ? parseDecimal(text) : undefined
    const id = parseSymbol(name, symbols)
    if (amount === undefined) problem("must be a decimal number such as 0.5", name)
    else if (name === "default") defaultAmount = amount
    else if (id === undefined) problem(unknownSymbol(name), name)
    else if (amountBySymbol.has(id)) problem(`${name} is named twice, by name and by id`, name)
    else amountBySymbol.set(id, amount)
  }
  return { kind: "by_symbol", amountBySymbol, defaultAmount }
}
