import assert from "node:assert/strict"

import { problemText } from "../../src/std/yaml-file.ts"
import { parsePolicies } from "../../src/vault/policy/file/policy-file.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import type { Decision, Policy } from "../../src/vault/policy/terms.ts"
import type { Circumstances, JudgedRequest } from "../../src/vault/policy/match/judged-request.ts"
import { parseAddress, type Address } from "../../src/venue/address.ts"
import { formatDecimal, parseDecimal, type Decimal } from "../../src/venue/decimal.ts"
import { laneOf } from "../../src/venue/payload/parse-payload.ts"
import type { AgentApproval, Order, OrderLeg, Payload } from "../../src/venue/payload/payload.ts"
import { operationIds, type OperationId } from "../../src/venue/profile.ts"
import { builtinProfile } from "../../src/venue/builtin-profile.ts"
import { testProfile } from "./test-profile.ts"

/** A decimal that the test knows to be one. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text)
  assert.ok(value, `${text} is a decimal`)
  return value
}

/** An address of one repeated hex digit. */
export function addressOf(digit: string): Address {
  const address = parseAddress(`0x${digit.repeat(40)}`)
  assert.ok(address)
  return address
}

export const signer = addressOf("1")

/** A limit buy of 0.5 BTC-PERP at 60000, changed. */
export function order(changes: Partial<Order> = {}): Order {
  return {
    path: "",
    clientOrderId: undefined,
    symbolId: 1,
    isBuy: true,
    orderType: "limit",
    timeInForce: undefined,
    quantity: decimal("0.5"),
    price: decimal("60000"),
    slippage: undefined,
    positionSide: undefined,
    marginMode: undefined,
    marketOrderType: undefined,
    stpMode: undefined,
    priceMatch: undefined,
    algoOrderType: undefined,
    conditional: undefined,
    tpsl: undefined,
    flags: [],
    ...changes,
  }
}

/** A market buy of 0.5 BTC-PERP without slippage, changed. */
export function marketOrder(changes: Partial<Order> = {}): Order {
  return order({ orderType: "market", price: undefined, ...changes })
}

/** A leg that triggers at 70000 and becomes a market order, changed. */
export function leg(changes: Partial<OrderLeg> = {}): OrderLeg {
  return {
    triggerPrice: decimal("70000"),
    triggerBy: undefined,
    orderType: undefined,
    orderPrice: undefined,
    ...changes,
  }
}

/** The order with one take-profit leg attached. */
export function withTakeProfit(entry: Order, takeProfit: OrderLeg = leg()): Order {
  const tpsl = { mode: "partial", takeProfit, stopLoss: undefined } as const
  return { ...entry, algoOrderType: "attached_tpsl", tpsl }
}

/** A tpsl order without an entry of its own. */
export function standaloneTpsl(takeProfit: OrderLeg = leg(), changes: Partial<Order> = {}): Order {
  const tpsl = { mode: "partial", takeProfit, stopLoss: undefined } as const
  return order({
    orderType: undefined,
    price: undefined,
    algoOrderType: "tpsl",
    tpsl,
    ...changes,
  })
}

/** A request of the client `bot` with the agent key `bot-agent`; without a payload its body is opaque. */
export function requestFor(
  operation: OperationId,
  changes: Partial<JudgedRequest> = {},
): JudgedRequest {
  const payload: Payload = changes.payload ?? { kind: "opaque", batchLength: 1 }
  const endpoint = builtinProfile.endpoints.get(operation)
  assert.ok(endpoint)
  return {
    client: "bot",
    key: { name: "bot-agent", address: signer, role: "agent" },
    operation,
    target: undefined,
    body: {},
    payload,
    lane: laneOf(endpoint, payload, testProfile()),
    expiresInMs: 15_000,
    isKeyed: false,
    checkAgeMs: Infinity,
    ...changes,
  }
}

/** A placeOrder of one order. */
export function placing(placed: Order): JudgedRequest {
  return requestFor("placeOrder", {
    payload: { kind: "orders", orders: [placed], form: "single" },
  })
}

/** A placeBatch of orders. */
export function placingBatch(...placed: readonly Order[]): JudgedRequest {
  const orders = placed.map((each, index) => ({ ...each, path: `/orders/${index}` }))
  return requestFor("placeBatch", { payload: { kind: "orders", orders, form: "batch" } })
}

/** An approveAgent by the wallet key, of the agent held here and for 90 days, changed. */
export function approving(changes: Partial<AgentApproval> = {}): JudgedRequest {
  const approval: AgentApproval = {
    serviceChain: "Mainnet",
    signatureChainId: 84256,
    agentAddress: heldAgent,
    authorizedAddress: signer,
    validDays: 90,
    label: "bot",
    ...changes,
  }
  return requestFor("approveAgent", {
    key: { name: "main", address: signer, role: "wallet" },
    payload: { kind: "approve_agent", approval },
  })
}

export const heldAgent = addressOf("a")

const referencePrices = new Map([
  [1, decimal("64000")],
  [2, decimal("3000")],
  [3, decimal("64000")],
])

/** One agent held, and fresh reference prices: 64000 for bitcoin, 3000 for ether. */
export function circumstances(changes: Partial<Circumstances> = {}): Circumstances {
  return {
    profile: testProfile(),
    nowMs: 1_800_000_000_000,
    heldAgents: () => new Set([heldAgent]),
    referencePrice: (symbolId) => referencePrices.get(symbolId),
    raises: [],
    ...changes,
  }
}

/** Reads policy files that the test knows to be right. */
export function policiesOf(...texts: readonly string[]): readonly Policy[] {
  const files = texts.map((text, index) => ({ file: `${index}.yaml`, text }))
  const read = parsePolicies(files, testProfile())
  assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
  return read.value
}

/** A policy file of one rule, given as the lines under its name. */
export function ruleFile(...lines: readonly string[]): string {
  return ["policy: test", "rules:", "  - name: rule", ...lines.map((line) => `    ${line}`)].join(
    "\n",
  )
}

/** A policy file that allows all orders and has one deny, given as the lines under its name. */
export function denyFile(...lines: readonly string[]): string {
  return [...allowingOrders, "deny:", "  - name: entry", ...indented(lines)].join("\n")
}

/** A policy file that allows every operation and has one hold, given as the lines under its name. */
export function holdFile(...lines: readonly string[]): string {
  return [...allowingAll, "hold:", "  - name: entry", ...indented(lines)].join("\n")
}

/** A policy file that allows every operation and has one limit, given as the lines under its name. */
export function limitFile(...lines: readonly string[]): string {
  return [...allowingAll, "limits:", "  - name: entry", ...indented(lines)].join("\n")
}

const allowingOrders = [
  "policy: test",
  "rules:",
  "  - {name: all, endpoints: [placeOrder, placeBatch, modifyOrder, chaseOrder, cancelOrder]}",
]

const allowingAll = [
  "policy: test",
  "rules:",
  `  - {name: all, endpoints: [${operationIds.join(", ")}], allow_full_tpsl: true}`,
]

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `    ${line}`)
}

/** What an allowed request claims: each claim as `amount of max in meter`, with the meter's digest left out. */
export function claimTexts(decision: Decision): readonly string[] {
  assert.notEqual(decision.kind, "refuse", outcomeOf(decision))
  if (decision.kind === "refuse") return []
  return decision.claims.map(({ amount, max, meter }) => {
    const subject = meter.slice(meter.indexOf(":") + 1)
    return `${formatDecimal(amount)} of ${formatDecimal(max)} in ${subject}`
  })
}

/** Judges a request by one policy file. */
export function decide(
  text: string,
  request: JudgedRequest,
  changes: Partial<Circumstances> = {},
): Decision {
  return judge(request, policiesOf(text), circumstances(changes))
}

/** `allow`, `hold`, or the reason of the refusal: what most tests state. */
export function outcomeOf(decision: Decision): string {
  return decision.kind === "refuse" ? decision.denial.reason : decision.kind
}
