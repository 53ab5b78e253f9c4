import { compareDecimals, maxDecimalDigits, parseDecimal, zero, type Decimal } from "../decimal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import {
  pointerTo,
  type FieldError,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from "../json.ts"
import type { Profile } from "../profile.ts"
import {
  fieldError,
  missingField,
  unknownField,
  wrongType,
  type Order,
  type OrderLeg,
} from "./payload.ts"
import * as fields from "./payload.ts"
import { objectAt, brokenOrderRules } from "./order-rules.ts"

type Errors = readonly FieldError[]

/** Parses an order by the interface's tables and rules. Returns all errors at once. */
export function parseOrder(
  body: JsonObject,
  spot: Spot,
  symbols: Profile["symbols"],
): Result<Order, Errors> {
  const symbolId = body["symbol_id"]
  const symbol = typeof symbolId === "number" ? symbols.byId.get(symbolId) : undefined
  const broken = brokenOrderRules(body, symbol)
  const errors = [
    ...checkFields(fields.orderFields, body, spot),
    ...broken.map((error) => ({ ...error, path: `${spot.path}${error.path}` })),
  ]
  const order = orderOf(body, spot)
  return order === undefined || errors.length > 0 ? err(errors) : ok(order)
}

/** `undefined` when a required field can't be read; {@link checkFields} has reported it. */
function orderOf(body: JsonObject, { path }: Spot): Order | undefined {
  const symbolId = body["symbol_id"]
  const isBuy = body["is_buy"]
  const quantity = decimalOf(body["quantity"])
  if (typeof symbolId !== "number" || typeof isBuy !== "boolean" || quantity === undefined) {
    return undefined
  }
  return Object.freeze({
    path,
    clientOrderId: textOf(body["client_order_id"]),
    symbolId,
    isBuy,
    orderType: wordOf(fields.orderTypes, body["order_type"]),
    timeInForce: wordOf(fields.timesInForce, body["time_in_force"]),
    quantity,
    price: decimalOf(body["price"]),
    slippage: decimalOf(body["slippage"]),
    positionSide: wordOf(fields.positionSides, body["position_side"]),
    marginMode: wordOf(fields.marginModes, body["margin_mode"]),
    marketOrderType: wordOf(fields.marketOrderTypes, body["market_order_type"]),
    stpMode: wordOf(fields.stpModes, body["stp_mode"]),
    priceMatch: wordOf(fields.priceMatches, body["price_match"]),
    algoOrderType: wordOf(fields.algoOrderTypes, body["algo_order_type"]),
    conditional: conditionalOf(objectAt(body, "conditional")),
    tpsl: tpslOf(objectAt(body, "tpsl")),
    flags: flagsOf(body["flags"]),
  })
}

function conditionalOf(conditional: JsonObject | undefined): Order["conditional"] {
  const triggerPrice = decimalOf(conditional?.["trigger_price"])
  const triggerBy = wordOf(fields.triggerSources, conditional?.["trigger_by"])
  return triggerPrice && triggerBy && Object.freeze({ triggerPrice, triggerBy })
}

function tpslOf(tpsl: JsonObject | undefined): Order["tpsl"] {
  const mode = wordOf(fields.tpslModes, tpsl?.["tpsl_mode"])
  if (tpsl === undefined || mode === undefined) return undefined
  return Object.freeze({ mode, takeProfit: legOf(tpsl, "tp"), stopLoss: legOf(tpsl, "sl") })
}

function legOf(tpsl: JsonObject, leg: fields.LegName): OrderLeg | undefined {
  const triggerPrice = decimalOf(tpsl[`${leg}_trigger_price`])
  return (
    triggerPrice &&
    Object.freeze({
      triggerPrice,
      triggerBy: wordOf(fields.triggerSources, tpsl[`${leg}_trigger_by`]),
      orderType: wordOf(fields.orderTypes, tpsl[`${leg}_order_type`]),
      orderPrice: decimalOf(tpsl[`${leg}_order_price`]),
    })
  )
}

function flagsOf(value: JsonValue | undefined): Order["flags"] {
  const words: JsonArray = Array.isArray(value) ? value : []
  return Object.freeze(words.flatMap((word) => wordOf(fields.orderFlags, word) ?? []))
}

function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  return typeof value === "string" ? parseDecimal(value) : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

function wordOf<Word extends string>(
  words: readonly Word[],
  value: JsonValue | undefined,
): Word | undefined {
  return words.find((word) => word === value)
}

/** Where an object stands in the body, and which further fields it may hold. */
export type Spot = { readonly path: string; readonly alsoAllowed: readonly string[] }

/** Checks each field of an object by itself, and refuses fields that aren't listed. */
function checkFields(
  listed: readonly fields.BodyField[],
  object: JsonObject,
  { path, alsoAllowed }: Spot,
): Errors {
  const given = listed.filter(({ name }) => Object.hasOwn(object, name))
  const isKnown = (key: string): boolean =>
    given.some(({ name }) => name === key) || alsoAllowed.includes(key)
  return [
    ...listed.flatMap((field) => checkField(field, object, path)),
    ...Object.keys(object)
      .filter((name) => !isKnown(name))
      .map((name) => unknownField(pointerTo(path, name))),
  ]
}

function checkField(field: fields.BodyField, object: JsonObject, parent: string): Errors {
  const { name, required, type } = field
  const value = Object.hasOwn(object, name) ? object[name] : undefined
  if (value !== undefined) return checkValue(type, value, pointerTo(parent, name))
  return required ? [missingField(pointerTo(parent, name))] : []
}

function checkValue(type: fields.FieldType, value: JsonValue, path: string): Errors {
  switch (type.kind) {
    case "text":
      return checkText(type, value, path)
    case "id":
      return checkId(value, path)
    case "boolean":
      return typeof value === "boolean" ? [] : [wrongType(path, "true or false")]
    case "decimal":
      return checkDecimal(type, value, path)
    case "word":
      return checkWord(type.values, value, path)
    case "words":
      return checkWords(type.values, value, path)
    case "object":
      return checkObject(type, value, path)
  }
}

type TypeOf<Kind extends fields.FieldType["kind"]> = Extract<fields.FieldType, { kind: Kind }>

function checkText(type: TypeOf<"text">, value: JsonValue, path: string): Errors {
  if (typeof value !== "string") return [wrongType(path, "a string")]
  const length = Array.from(value).length
  if (length < type.minLength) {
    return [fieldError(path, "empty", "this field is empty; fill it in or leave it out")]
  }
  if (length <= type.maxLength) return []
  return [fieldError(path, "too_long", `send at most ${type.maxLength} characters, not ${length}`)]
}

function checkId(value: JsonValue, path: string): Errors {
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    return [wrongType(path, "an integer")]
  return value >= 0 ? [] : [fieldError(path, "out_of_range", "send an integer that isn't negative")]
}

function checkDecimal(type: TypeOf<"decimal">, value: JsonValue, path: string): Errors {
  if (typeof value !== "string") return [wrongType(path, 'a decimal string like "0.5"')]
  const decimal = parseDecimal(value)
  if (decimal === undefined) {
    const message = `send a decimal like "0.5": no sign, exponent, space or leading zero, at most ${maxDecimalDigits} digits`
    return [fieldError(path, "not_decimal", message)]
  }
  if (compareDecimals(decimal, zero) === 0) {
    return [fieldError(path, "not_above_zero", "send a decimal above zero")]
  }
  if (type.range === undefined || isWithin(decimal, type.range)) return []
  const { min, max } = type.range
  return [fieldError(path, "out_of_range", `send a decimal from ${min} to ${max}`)]
}

function isWithin(
  decimal: Decimal,
  range: { readonly min: string; readonly max: string },
): boolean {
  const min = parseDecimal(range.min)
  const max = parseDecimal(range.max)
  if (min === undefined || max === undefined) return false
  return compareDecimals(decimal, min) >= 0 && compareDecimals(decimal, max) <= 0
}

function checkWord(values: readonly string[], value: JsonValue, path: string): Errors {
  if (typeof value !== "string") return [wrongType(path, `one of the strings ${values.join(", ")}`)]
  if (values.includes(value)) return []
  return [fieldError(path, "value_not_allowed", `send one of ${values.join(", ")}`)]
}

function checkWords(values: readonly string[], value: JsonValue, path: string): Errors {
  if (!Array.isArray(value)) return [wrongType(path, `an array of ${values.join(", ")}`)]
  const words = value as JsonArray // Array.isArray narrows a union with a readonly array to any[]
  return words.flatMap((word, index) => {
    const itemPath = pointerTo(path, index)
    if (words.indexOf(word) === index) return checkWord(values, word, itemPath)
    return [fieldError(itemPath, "duplicate_value", "this value is there already; send it once")]
  })
}

function checkObject(type: TypeOf<"object">, value: JsonValue, path: string): Errors {
  if (value === null && type.nullable) return []
  if (!isJsonObject(value)) return [wrongType(path, "an object")]
  return checkFields(type.fields, value, { path, alsoAllowed: [] })
}
