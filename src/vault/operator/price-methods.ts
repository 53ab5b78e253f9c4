import { z } from "zod"

import type { AdminParams, BotParams, BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../link/views/refusal.ts"
import type { PriceView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseDecimal, type Decimal } from "../../venue/decimal.ts"
import type { FieldError } from "../../venue/json.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { isConfirmed } from "../active/reference-prices.ts"
import type { Vault } from "../core/vault.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import { clientWithRight } from "../request/authenticate.ts"
import { refuse } from "../request/refuse.ts"
import { readJson, invalidRequest } from "../request/split-body.ts"
import { priceView } from "../status/fed-prices.ts"

/** `POST /prices`: takes prices from a client that has the right to feed them; all of them or none. */
export async function feedPrices(
  { token, body }: BotParams["prices"],
  vault: Vault,
): Promise<BotResults["prices"]> {
  const nowMs = vault.now()
  const set = vault.active()
  const client = clientWithRight(token, "prices", vault)
  if (!client.ok) return refuse(client.error, null)
  const read = readPrices(Buffer.from(body, "base64"), set)
  if (!read.ok) return refuse(read.error, null)

  await Promise.all(read.value.map((price) => record(vault, { ...price, by: client.value.name })))
  const prices = read.value.map(({ symbol }) => priceView(symbol, vault.active(), nowMs))
  return { kind: "answer", prices }
}

/** `countersign prices set`: an operator's word, which also confirms a step that was too large. */
export async function setPrice(
  { symbol: name, value: text }: AdminParams["setPrice"],
  vault: Vault,
): Promise<PriceView> {
  const symbol = vault.active().profile.symbols.byName.get(name)
  if (symbol === undefined) {
    throw new Fault("name_unknown", `venue.yaml's symbols have no ${name}; add it there first.`)
  }
  const value = positiveDecimal(text)
  if (value === undefined) {
    throw new Fault("usage", "A price is a decimal above zero, like 64000.5.")
  }
  await record(vault, { symbol, value, by: operatorName })
  return priceView(symbol, vault.active(), vault.now())
}

type NewPrice = { readonly symbol: SymbolEntry; readonly value: Decimal }

function record(
  vault: Vault,
  { symbol, value, by }: NewPrice & { readonly by: string },
): Promise<unknown> {
  const price = { symbolId: symbol.id, value, by }
  const confirmed = isConfirmed(price, vault.active())
  return vault.act({ act: "price_set", ...price, asOfMs: vault.now(), confirmed })
}

/** More symbols than any table has; bounds the commits that one call makes. */
const maxPrices = 100

/** The body of `POST /prices`. */
export const pricesBody = z.strictObject({
  prices: z
    .array(z.strictObject({ symbol: z.string(), value: z.string() }))
    .min(1)
    .max(maxPrices),
})

function readPrices(bytes: Uint8Array, set: ActiveSet): Result<readonly NewPrice[], Refusal> {
  const json = readJson(bytes)
  if (!json.ok) return json
  const body = pricesBody.safeParse(json.value)
  if (!body.success) {
    const message = `the body must be {"prices": [{"symbol", "value"}]}, 1 to ${maxPrices} of them`
    return err(invalidRequest([{ path: "", rule: "prices", message }]))
  }
  const errors: FieldError[] = []
  const names = body.data.prices.map(({ symbol }) => symbol)
  const prices = body.data.prices.flatMap(({ symbol: name, value: text }, index): NewPrice[] => {
    const symbol = set.profile.symbols.byName.get(name)
    const value = positiveDecimal(text)
    const isAgain = names.indexOf(name) < index
    if (symbol !== undefined && value !== undefined && !isAgain) return [{ symbol, value }]
    errors.push(priceError(index, symbol === undefined || isAgain ? "symbol" : "value"))
    return []
  })
  return errors.length > 0 ? err(invalidRequest(errors)) : ok(prices)
}

function priceError(index: number, field: "symbol" | "value"): FieldError {
  const message =
    field === "symbol"
      ? "symbol must be a name of venue.yaml's symbols, each once"
      : "value must be a decimal string above zero"
  return { path: `/prices/${index}/${field}`, rule: `price_${field}`, message }
}

function positiveDecimal(text: string): Decimal | undefined {
  const value = parseDecimal(text)
  return value === undefined || value.coefficient === 0n ? undefined : value
}
