import type { ErrorCode } from "../../src/gate/http/problem.ts"

type ErrorExample = { readonly msg: string; readonly data?: object; readonly trace_code?: string }

const record = "rec_01M7YJVYGBYE7TZE72SKK8WQAY"
const sentData = { record, expires_after: 1795249026211 }
const recorded = { trace_code: record }
const budget = {
  used: 2395,
  kept: 0,
  asked: 40,
  frees_at: 1795249051211,
  retry_after_ms: 40000,
}

/** One answer of each code. */
export const errorExamples: Readonly<Record<ErrorCode, ErrorExample>> = {
  invalid_json: { msg: "The body isn't JSON: a value is missing.", data: { offset: 17 } },
  invalid_request: {
    msg: "/quantity: this field is required; add it",
    data: {
      errors: [
        {
          path: "/quantity",
          rule: "required",
          message: "this field is required; add it",
        },
      ],
    },
    ...recorded,
  },
  invalid_header: {
    msg: "This call takes no query string; remove it.",
    data: { header: "request-target" },
  },
  unauthorized: { msg: "Send your token as `Authorization: Bearer cs_…`." },
  token_expired: {
    msg: "The token of bot expired at 2026-12-23T12:00:00.000Z; the operator gives it more time: countersign clients renew bot.",
    data: { expired_at: 1_798_027_200_000 },
  },
  policy_denied: {
    msg: "Refused by policy: quantity_over_max (bot/quote, policies/bot.yaml:4); asked 0.6 BTC-PERP, allowed 0.5.",
    data: {
      policy: "bot",
      rule: "quote",
      reason: "quantity_over_max",
      file: "policies/bot.yaml",
      line: 4,
      asked: "0.6 BTC-PERP",
      allowed: "0.5",
    },
    ...recorded,
  },
  wallet_key_required: {
    msg: "This operation needs a wallet key; name one in Countersign-Key.",
    data: { key: "mm" },
    ...recorded,
  },
  key_not_allowed: { msg: "This client has no such key.", data: { key: "mm2" }, ...recorded },
  target_not_allowed: {
    msg: "This key may not operate that account.",
    data: { key: "mm", target: "0x602959845502DB329f0969E7a60D7CB9B5BE857D" },
    ...recorded,
  },
  wrong_network: {
    msg: "This key was made for another network.",
    data: { key: "mm" },
    ...recorded,
  },
  approval_required: {
    msg: "A person must release this request; then send it again.",
    data: { hold: "hold_01M7YJVYGBYE7TZE72SKK8WQAY", expires_at: 1795249926211 },
    ...recorded,
  },
  agent_revoked: { msg: "This agent key was revoked.", data: { key: "mm" }, ...recorded },
  agent_expiring: {
    msg: "This agent's approval ends soon.",
    data: { key: "mm", expires_at: 1795252611211 },
    ...recorded,
  },
  right_missing: {
    msg: "The client bot doesn't have --right freeze.",
    data: { right: "freeze" },
  },
  origin_refused: {
    msg: "Web pages of other origins can't call this server; call it from a program.",
  },
  unknown_endpoint: {
    msg: "Nothing is served under this path; GET /openapi.json lists what is.",
    data: { path: "/v1/trade/order" },
  },
  unknown_record: { msg: "You have no record of that id; use the one from Countersign-Record." },
  method_not_allowed: { msg: "Use POST here." },
  request_timeout: { msg: "The request took too long to arrive; send it again, whole." },
  forward_only: {
    msg: "This client gets no signed body; have the venue sent the same by POST /v1/….",
    ...recorded,
  },
  check_required: {
    msg: "Policy wants this checked first (bot/require_check, policies/bot.yaml:2): send it to /check with Countersign-Shadow: 1, then sign the same with Countersign-Check: the id in that answer's Countersign-Record, within 30000 ms.",
    data: { policy: "bot", file: "policies/bot.yaml", line: 2, within_ms: 30_000 },
    ...recorded,
  },
  check_unknown: {
    msg: "This client has no unused check with this id; send it to /check with Countersign-Shadow: 1, then sign the same with Countersign-Check: the id in that answer's Countersign-Record.",
    ...recorded,
  },
  check_mismatch: {
    msg: "What was checked has another body; check what is to be signed.",
    data: { differs: ["body"] },
    ...recorded,
  },
  check_expired: {
    msg: "The check is older than policy allows (bot/require_check, policies/bot.yaml:2); check it again.",
    data: { age_ms: 31_250, within_ms: 30_000 },
    ...recorded,
  },
  idempotency_conflict: {
    msg: "This idempotency key stands for another request.",
    data: { record },
  },
  already_accepted: {
    msg: "The venue accepted this key's request, and its answer isn't kept here; look there by what data tells.",
    data: {
      record,
      nonce: 1795249043898,
      expires_after: 1795249058898,
      signing_hash: `0x${"5b".repeat(32)}`,
      client_order_id: "q-1",
    },
  },
  idempotency_expired: {
    msg: "The request of this idempotency key has expired.",
    data: { record, state: "expired_unresolved" },
  },
  body_too_large: { msg: "Send at most 65536 bytes." },
  unsupported_media_type: {
    msg: "Send Content-Type: application/json (UTF-8) and no Content-Encoding.",
  },
  misdirected_host: {
    msg: "This Host isn't served here; use 127.0.0.1 with our port, or add it to allowed_hosts.",
  },
  locked: { msg: "The keys are locked, so nothing is signed.", data: { key: "mm" }, ...recorded },
  frozen: {
    msg: "The client bot is frozen.",
    data: {
      scope: "client",
      name: "bot",
      reason: "the feed looks wrong",
      by: "guard",
      cancels: true,
      since: 1795252750840,
    },
    ...recorded,
  },
  guard_exceeded: {
    msg: "The guard bot/small (policies/bot.yaml:9) has no room: max_position net BTC-PERP of main would come to 2.1, and 2 is allowed (1.5 by the last reading, 0.4 in flight, 0.2 asked). Cancels and reduce-only orders pass.",
    data: {
      policy: "bot",
      guard: "small",
      account: "0x1111111111111111111111111111111111111111",
      kind: "max_position",
      measure: "net",
      symbol: "BTC-PERP",
      max: "2",
      measured: "1.5",
      in_flight: "0.4",
      asked: "0.2",
      worst: "2.1",
      room: "0.1",
      from: null,
      equity: null,
      freed: null,
      read_at: 1795249010011,
    },
    ...recorded,
  },
  guard_tripped: {
    msg: "The guard bot/day (policies/bot.yaml:12) has tripped: main has lost what daily_loss allows. Nothing opens a position there now; it ends with the day, or a person ends it: countersign guards rearm. Cancels and reduce-only orders pass.",
    data: {
      policy: "bot",
      guard: "day",
      account: "0x1111111111111111111111111111111111111111",
      kind: "daily_loss",
      since: 1795249010011,
      until: 1795305600000,
    },
    ...recorded,
  },
  guard_unreadable: {
    msg: "The guard bot/small (policies/bot.yaml:9) can't judge this: the account hasn't been read since the daemon started; the gate reads it by itself, so ask again in some seconds. Cancels and reduce-only orders pass.",
    data: {
      policy: "bot",
      guard: "small",
      why: "no_reading",
      account: "0x1111111111111111111111111111111111111111",
    },
    ...recorded,
  },
  nothing_to_reduce: {
    msg: "Reduce-only, but main holds at most 0 short in BTC-PERP, by a reading of 3 s ago and all that is in flight (the guard bot/small, policies/bot.yaml:9). Open a position first.",
    data: {
      policy: "bot",
      guard: "small",
      account: "0x1111111111111111111111111111111111111111",
      symbol: "BTC-PERP",
      side: "short",
      reach: "0",
      read_at: 1795249010011,
    },
    ...recorded,
  },
  limit_exhausted: {
    msg: "The limit bot/hourly is spent: 31500 of 50000 used, 31500 asked; frees_at says when it has room.",
    data: {
      policy: "bot",
      limit: "hourly",
      max: "50000",
      used: "31500",
      asked: "31500",
      room: "18500",
      frees_at: 1795256350818,
      retry_after_ms: 3599990,
    },
    ...recorded,
  },
  "10029": {
    msg: "Rate limit exceeded: the budget of this request's address has no room for it, so it wasn't sent; frees_at says when it has room.",
    data: { scope: "address", max: 2400, ...budget },
    ...recorded,
  },
  ip_budget_exhausted: {
    msg: "The IP's budget has no room for this request, so it wasn't sent.",
    data: { scope: "ip", max: 1200, ...budget, used: 1180 },
    ...recorded,
  },
  signer_pace: {
    msg: "This signer has signed as fast as its nonces allow; wait a little.",
    data: { retry_after_ms: 12 },
    ...recorded,
  },
  too_many_bad_tokens: {
    msg: "Too many wrong tokens; wait before the next.",
    data: { retry_after_ms: 1000 },
  },
  headers_too_large: { msg: "Send fewer or shorter headers." },
  internal: { msg: "Something failed inside countersign; its log says more." },
  signature_check_failed: {
    msg: "A signature failed its check and was thrown away; have the machine's memory checked.",
  },
  action_tag_undisclosed: {
    msg: "The interface doesn't disclose this; add to venue.yaml, from the venue's own documentation: endpoints: {cancelOrder: {action_tag: <0-255>}}",
    data: {
      endpoint: "cancelOrder",
      add_line: "endpoints: {cancelOrder: {action_tag: <0-255>}}",
    },
    ...recorded,
  },
  struct_undisclosed: {
    msg: "The interface doesn't disclose this; add to venue.yaml, from the venue's own documentation: endpoints: {withdraw: {signing: B, struct: \"…\"}}",
    data: {
      endpoint: "withdraw",
      add_line: 'endpoints: {withdraw: {signing: B, struct: "…"}}',
    },
    ...recorded,
  },
  signing_type_undisclosed: {
    msg: "The interface doesn't disclose this; add to venue.yaml, from the venue's own documentation: endpoints: {withdraw: {signing: B, struct: \"…\"}}",
    data: {
      endpoint: "withdraw",
      add_line: 'endpoints: {withdraw: {signing: B, struct: "…"}}',
    },
    ...recorded,
  },
  items_undisclosed: {
    msg: "The interface doesn't disclose this; add to venue.yaml, from the venue's own documentation: endpoints: {placeBatch: {action_tag: 8, items: \"/…\", item_like: placeOrder}}",
    data: {
      endpoint: "placeBatch",
      add_line: 'endpoints: {placeBatch: {action_tag: 8, items: "/…", item_like: placeOrder}}',
    },
    ...recorded,
  },
  target_layout_undisclosed: {
    msg: "The interface doesn't disclose this; add to venue.yaml, from the venue's own documentation: agent_message_with_target: \"Agent(…)\"",
    data: { endpoint: "placeOrder", add_line: 'agent_message_with_target: "Agent(…)"' },
    ...recorded,
  },
  read_group_undisclosed: {
    msg: "The venue's interface doesn't tell which group this read is of, so its weight isn't known; add to venue.yaml, from the venue's own documentation: reads: {<market, trade, account or explorer>: [\"/v1/market/depth\"]}",
    data: {
      path: "/v1/market/depth",
      add_line: 'reads: {<market, trade, account or explorer>: ["/v1/market/depth"]}',
    },
    ...recorded,
  },
  base_url_missing: {
    msg: "No venue is configured; add base_url to venue.yaml, or call /sign and send it yourself.",
    data: { add_line: "base_url: https://…" },
  },
  upstream_unreachable: {
    msg: "The venue couldn't be reached at https://api.venue.example, so nothing was sent; send a new request.",
    data: sentData,
    ...recorded,
  },
  not_paginated: { msg: "The venue's answer isn't a page of a list; ask without all=true." },
  vault_unavailable: {
    msg: "The vault doesn't answer, so nothing is signed; see `countersign status`.",
  },
  ledger_unavailable: {
    msg: "Nothing can be recorded, so nothing is signed; the vault's log says why.",
  },
  not_signing: {
    msg: "The vault signs nothing: restore_unaccepted. countersign status says what to do.",
    data: { signs: "nothing", reasons: ["restore_unaccepted"] },
  },
  restore_unaccepted: {
    msg: "This ledger is older than what its signers have signed, or another one than theirs: it was restored or exchanged. Nothing is signed until countersign ledger accept-restore.",
    data: { signs: "nothing", fix: "countersign ledger accept-restore" },
    ...recorded,
  },
  isolated: {
    msg: "This host can't reach PostgreSQL: until 2026-11-25T21:09:00.000Z it signs only cancels that no limit counts and nobody must release. Send all else to another host.",
    data: { signs: "cancels", fix: "countersign doctor" },
  },
  clock_unsafe: {
    msg: "The venue's clock is at least 4 s behind this machine's, by the Date of its answers; set this one: timedatectl set-ntp true. Until then only cancels and reduce-only orders are signed.",
    data: {
      ...{ signs: "reduce_only", fix: "timedatectl set-ntp true" },
      ...{ venue_ahead_ms: -4200, max_venue_offset_ms: 3000 },
    },
    ...recorded,
  },
  disk_low: {
    msg: "The disk is nearly full; only what reduces risk is signed.",
    data: {
      ...{ signs: "reduce_only", fix: "make room on the disk of the state directory" },
      ...{ free_bytes: 104857600, min_free_bytes: 268435456 },
    },
    ...recorded,
  },
  overloaded: { msg: "Too many requests are at work; try again in a moment." },
  upstream_outcome_unknown: {
    msg: "The request may have reached the venue; look there before you send it anew.",
    data: sentData,
    ...recorded,
  },
  read_failed: {
    msg: "The venue's answer didn't come whole and in time; ask again, it changes nothing.",
  },
  too_late: {
    msg: "The request expired before it was sent; send a new one.",
    data: sentData,
    ...recorded,
  },
}
