import { err } from "../../std/result.ts"

/**
 * The sandbox's error codes. The interface shows none but 10029, for the address budget, so all the
 * others are invented: a bot must not expect them from the real venue.
 */
export const errorCodes = {
  address_budget: "10029",
  ip_budget: "10029", // that it is the same code is invented
  internal: "90000",
  unknown_path: "90001",
  method_not_allowed: "90002",
  not_json: "90003",
  body_too_large: "90004",
  invalid_query: "90006",
  fault: "90007",

  invalid_field: "90101",
  missing_field: "90102",

  invalid_signature: "90201",
  high_s: "90202",
  wrong_signer: "90203",
  nonce_repeated: "90204",
  nonce_outside_window: "90205",
  expired: "90206",
  wrong_service_chain: "90207",
  wrong_chain_id: "90208",

  unknown_signer: "90301",
  agent_expired: "90302",
  agent_revoked: "90303",
  wrong_target: "90304",
  wallet_required: "90305",
  agent_taken: "90306",
  unknown_agent: "90307",

  order_rule_1: "90401",
  order_rule_2: "90402",
  order_rule_3: "90403",
  order_rule_4: "90404",
  order_rule_5: "90405",
  order_rule_6: "90406",
  unknown_symbol: "90407",
  spot_only: "90408",
  perpetual_only: "90409",
  unknown_order: "90410",
  order_changed: "90411",
  not_chased: "90412",

  insufficient_balance: "90501",
  unknown_account: "90502",
  insufficient_margin: "90503",
} as const

export type ErrorName = keyof typeof errorCodes

/** Why the sandbox says no. `msg` is one plain sentence. */
export type Rejection = { readonly name: ErrorName; readonly msg: string }

/** Says no. */
export function reject(
  name: ErrorName,
  msg: string,
): { readonly ok: false; readonly error: Rejection } {
  return err({ name, msg })
}

/** The HTTP status of a rejection: invented too but for 429, and 400 for nearly all. */
export function statusOf(name: ErrorName): number {
  if (name === "address_budget" || name === "ip_budget") return 429
  if (name === "unknown_path") return 404
  if (name === "internal" || name === "fault") return 500
  return 400
}

/** Says that a budget is spent, in the interface's words. */
export function overBudget(scope: "ip" | "address"): {
  readonly ok: false
  readonly error: Rejection
} {
  return reject(`${scope}_budget`, "Rate limit exceeded")
}

/** The envelope's `data` of a rejection. That the IP budget's `scope` is `ip` is invented. */
export function detailOf(name: ErrorName): Readonly<Record<string, unknown>> {
  if (name === "address_budget") return { scope: "address" }
  return name === "ip_budget" ? { scope: "ip" } : {}
}
