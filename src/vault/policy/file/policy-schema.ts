import * as z from "zod"

import { isPathPattern } from "../../../venue/read-paths.ts"
import type { SymbolTable } from "../../../venue/profile.ts"
import type { Deny, Hold, Over } from "../terms.ts"
import {
  described,
  objectError,
  required,
  tell,
  durationMs,
  listOf,
  policyName,
  textAs,
  yesOrNo,
} from "../values/scalars.ts"
import { guardSchema } from "./guard-schema.ts"
import { limitSchema } from "./limit-schema.ts"
import { matchersOf, operationsOf, speechOf } from "./matcher-schema.ts"
import { entryShapes, refusedBounds, ruleSchema, type EntryShapes } from "./rule-schema.ts"

/** The schema of a policy file. It looks symbol names up, so that a wrong one is reported at its line. */
export function policySchema(symbols: SymbolTable) {
  return z.strictObject(
    { ...headShape, ...listShape(symbols) },
    { error: objectError("a policy: `policy: <name>` and its rules") },
  )
}

const appliesTo = z
  .strictObject(
    {
      clients: described(listOf(policyName), "The clients that the file is for.", ["mm-bot"]),
      keys: described(listOf(policyName), "The keys that the file is for.", ["mm-agent"]),
    },
    { error: objectError("clients, keys or both") },
  )
  .refine(
    ({ clients, keys }) => clients !== undefined || keys !== undefined,
    "must name clients or keys; leave applies_to out to mean everyone",
  )

const pathPattern = textAs(
  (text) => (isPathPattern(text) ? text : undefined),
  () => "must be a path such as /v1/market/**, where * and ** stand for whole segments",
)

const headShape = {
  policy: required(
    policyName,
    "The policy's name in refusals and records, unique among the files.",
    "market-maker",
  ),
  applies_to: described(appliesTo, "Whom the file is for; left out, everyone.", {
    clients: ["mm-bot"],
    keys: ["mm-agent"],
  }),
  reads: described(
    listOf(pathPattern),
    "Paths that may be read; * stands for one segment of a path, ** for any number of them.",
    ["/v1/market/**"],
  ),
  repeat_within: described(
    durationMs({ least: "1s", most: "1m", example: "5s" }),
    "For how long the same body, cancels apart, isn't signed again for the same client and key without an Idempotency-Key.",
    "5s",
  ),
  require_check: described(
    durationMs({ least: "1s", most: "1h", example: "30s" }),
    "Within what time of a recorded check of the very same what may open a position is signed; cancels and reduce-only orders need none.",
    "30s",
  ),
  require_idempotency: described(
    yesOrNo,
    "Whether every request needs an Idempotency-Key, cancels too; false without it.",
    true,
  ),
}

function listShape(symbols: SymbolTable) {
  const shapes = entryShapes(symbols)
  return {
    rules: described(
      listOf(ruleSchema(shapes)),
      "What is allowed: one entry that matches in full allows the request.",
      [{ name: "get-out", endpoints: ["cancelOrder", "cancelBatch"] }],
    ),
    deny: described(
      listOf(denySchema(shapes)),
      "What is never allowed: one entry that matches refuses the request, whatever the rules say.",
      [{ name: "no-market-orders", order_types: ["market"] }],
    ),
    limits: described(
      listOf(limitSchema(shapes)),
      "How much is allowed over time: every entry that applies must have room.",
      [{ name: "hourly", sum: "submitted_notional", window: "1h", max: "1000000" }],
    ),
    guards: described(
      listOf(guardSchema(symbols)),
      "What an account may come to, whoever trades it: every entry must have room for what opens a position.",
      [{ name: "small", max_position: { "BTC-PERP": { net: "2" } }, max_open_orders: 20 }],
    ),
    hold: described(
      listOf(holdSchema(shapes)),
      "What a person must release: one entry that matches makes an allowed request wait.",
      [{ name: "new-agents", endpoints: ["approveAgent"], ttl: "15m" }],
    ),
  }
}

function denySchema(shapes: EntryShapes): z.ZodType<Omit<Deny, "line">> {
  return z
    .strictObject(
      { ...refusedBounds("deny", shapes), ...shapes.matchers, ...shapes.over },
      { error: objectError("a deny entry: a name, endpoints and matchers") },
    )
    .transform((written, context) => entryOf(written, context))
}

const defaultHoldMs = 15 * 60_000

function holdSchema(shapes: EntryShapes): z.ZodType<Omit<Hold, "line">> {
  return z
    .strictObject(
      {
        ...refusedBounds("hold", shapes),
        ...shapes.matchers,
        ...shapes.over,
        ttl: described(
          durationMs({ least: "1s", most: "24h", example: "15m" }),
          "How long the request waits for a person; 15m without it.",
          "15m",
        ),
        grants: described(
          yesOrNo,
          "Whether a person may release further requests like one that it holds for a while; true without it.",
          false,
        ),
      },
      { error: objectError("a hold entry: a name, endpoints and matchers") },
    )
    .transform((written, context) => ({
      ...entryOf(written, context),
      ttlMs: written.ttl ?? defaultHoldMs,
      grants: written.grants ?? true,
    }))
}

type WrittenEntry = z.infer<z.ZodObject<EntryShapes["matchers"] & EntryShapes["over"]>>

function entryOf(written: WrittenEntry, context: z.RefinementCtx): Omit<Deny, "line"> {
  const matchers = matchersOf(written, context)
  const over = overOf(written, context)
  const speech = speechOf(matchers, { speakOfOrders: over !== undefined })
  const operations = operationsOf(written.endpoints, speech, context)
  return { name: written.name, operations, matchers, over }
}

function overOf(
  { over_quantity: quantity, over_notional: notional }: WrittenEntry,
  context: z.RefinementCtx,
): Over | undefined {
  if (quantity !== undefined && notional !== undefined) {
    tell(context, "write an entry for each of over_quantity and over_notional", "over_notional")
  }
  if (quantity !== undefined) return { kind: "quantity", bound: quantity }
  return notional && { kind: "notional", bound: notional }
}
