/* eslint-disable -- made from docs/openapi.json by npm run openapi */
/** The schemas of docs/openapi.json; `WriteBodies` has the body that each of the venue's paths takes. */
export interface components {
  schemas: {
    /** @description The business fields of an order. docs/error-codes.md lists the rules between them; `extra_fields` of venue.yaml may admit more. */
    readonly PlaceOrder: {
      readonly client_order_id?: string
      readonly symbol_id: number
      readonly is_buy: boolean
      /** @enum {string} */
      readonly order_type?: "limit" | "market"
      /** @enum {string} */
      readonly time_in_force?: "gtc" | "fok" | "ioc"
      /** @description A decimal above zero, at most 40 digits. */
      readonly quantity: string
      /** @description A decimal above zero, at most 40 digits. */
      readonly price?: string
      /** @description A decimal from 0.0001 to 0.1, at most 40 digits. */
      readonly slippage?: string
      /** @enum {string} */
      readonly position_side?: "both" | "long" | "short"
      /** @enum {string} */
      readonly margin_mode?: "cross" | "isolated"
      /** @enum {string} */
      readonly market_order_type?: "base" | "quote"
      /** @enum {string} */
      readonly stp_mode?: "cancel_maker" | "cancel_taker" | "cancel_both" | "none"
      /** @enum {string} */
      readonly price_match?: "queue_1" | "queue_5" | "counter_party_1" | "counter_party_5"
      /** @enum {string} */
      readonly algo_order_type?: "conditional" | "tpsl" | "attached_tpsl"
      readonly conditional?: {
        /** @description A decimal above zero, at most 40 digits. */
        readonly trigger_price: string
        /** @enum {string} */
        readonly trigger_by: "last_price" | "mark_price" | "oracle_price"
      }
      readonly tpsl?: {
        /** @enum {string} */
        readonly tpsl_mode: "full" | "partial"
        /** @description A decimal above zero, at most 40 digits. */
        readonly tp_trigger_price?: string
        /** @enum {string} */
        readonly tp_trigger_by?: "last_price" | "mark_price" | "oracle_price"
        /** @enum {string} */
        readonly tp_order_type?: "limit" | "market"
        /** @description A decimal above zero, at most 40 digits. */
        readonly tp_order_price?: string
        /** @description A decimal above zero, at most 40 digits. */
        readonly sl_trigger_price?: string
        /** @enum {string} */
        readonly sl_trigger_by?: "last_price" | "mark_price" | "oracle_price"
        /** @enum {string} */
        readonly sl_order_type?: "limit" | "market"
        /** @description A decimal above zero, at most 40 digits. */
        readonly sl_order_price?: string
      } | null
      readonly flags?: readonly ("post_only" | "reduce_only")[]
      /** @description Picks the key; must not contradict `Countersign-Key`. */
      readonly signer_address?: string
      /** @description The account that is operated; on what is signed as type A alone. */
      readonly target_address?: string
    }
    /** @description The members of the struct that is signed, and the chain of the signature. */
    readonly ApproveAgent: {
      readonly service_chain: string
      /** @description In mixed case its EIP-55 checksum must be right. */
      readonly agent_address: string
      /** @description In mixed case its EIP-55 checksum must be right. */
      readonly authorized_address: string
      readonly valid_days: number
      readonly label: string
      readonly signature_chain_id: number
      /** @description Picks the key; must not contradict `Countersign-Key`. */
      readonly signer_address?: string
    }
    /** @description Business fields that the venue's interface doesn't document, as the venue documents them elsewhere. The daemon fills in nonce, expiry and signature. */
    readonly Payload: {
      /** @description Picks the key; must not contradict `Countersign-Key`. */
      readonly signer_address?: string
      /** @description The account that is operated; on what is signed as type A alone. */
      readonly target_address?: string
      readonly nonce?: never
      readonly expires_after?: never
      readonly signature?: never
    } & {
      readonly [key: string]: unknown
    }
    readonly FreezeRequest:
      | {
          /** @constant */
          readonly scope: "all"
          readonly reason: string
        }
      | {
          /** @enum {string} */
          readonly scope: "client" | "key"
          readonly name: string
          readonly reason: string
        }
    readonly HeartbeatRequest: Record<string, never>
    readonly PricesRequest: {
      readonly prices: readonly {
        readonly symbol: string
        readonly value: string
      }[]
    }
    readonly BatchRequest: {
      readonly path: string
      readonly body: unknown
      readonly key?: string
      readonly expires_in?: number
      readonly idempotency_key?: string
    }
    readonly Refusal:
      | {
          /** @enum {string} */
          readonly code: "invalid_json"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /** @description In bytes. */
            readonly offset: number
          }
        }
      | {
          /** @enum {string} */
          readonly code: "invalid_request"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly errors: readonly {
              /** @description A JSON Pointer into the body; empty for the body itself. */
              readonly path: string
              /** @description A word of docs/error-codes.md. */
              readonly rule: string
              readonly message: string
            }[]
          }
        }
      | {
          /** @enum {string} */
          readonly code: "invalid_header"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly header: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "unauthorized"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: null
        }
      | {
          /** @enum {string} */
          readonly code: "token_expired"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /** @description Milliseconds since 1970. */
            readonly expired_at: number
          }
        }
      | {
          /** @enum {string} */
          readonly code: "too_many_bad_tokens"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly retry_after_ms: number
          }
        }
      | {
          /** @enum {string} */
          readonly code: "policy_denied"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: components["schemas"]["Denial"]
        }
      | {
          /** @enum {string} */
          readonly code: "wallet_key_required" | "wrong_network"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "key_not_allowed"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "target_not_allowed"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string
            readonly target: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "approval_required"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /** @description null where none was opened. */
            readonly hold: string | null
            /** @description null where the hold has ended already. */
            readonly expires_at: number | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "agent_revoked"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "agent_expiring"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string
            /** @description Milliseconds since 1970. */
            readonly expires_at: number
          }
        }
      | {
          /** @enum {string} */
          readonly code: "right_missing"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly right: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "locked"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly key: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "frozen"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: components["schemas"]["FreezeView"]
        }
      | {
          /** @enum {string} */
          readonly code: "restore_unaccepted" | "isolated"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /**
             * @description What is signed all the same.
             * @enum {string}
             */
            readonly signs: "reduce_only" | "cancels" | "nothing"
            /** @description What the operator does about it. */
            readonly fix: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "clock_unsafe"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /**
             * @description What is signed all the same.
             * @enum {string}
             */
            readonly signs: "reduce_only" | "cancels" | "nothing"
            /** @description What the operator does about it. */
            readonly fix: string
            /** @description Negative where the venue's clock is behind; null where this machine's leapt. */
            readonly venue_ahead_ms: number | null
            readonly max_venue_offset_ms: number | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "disk_low"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /**
             * @description What is signed all the same.
             * @enum {string}
             */
            readonly signs: "reduce_only" | "cancels" | "nothing"
            /** @description What the operator does about it. */
            readonly fix: string
            /** @description null where it can't be told. */
            readonly free_bytes: number | null
            readonly min_free_bytes: number
          }
        }
      | {
          /** @enum {string} */
          readonly code: "unknown_endpoint"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly path: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "unknown_record"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: null
        }
      | {
          /** @enum {string} */
          readonly code: "overloaded"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: null
        }
      | {
          /** @enum {string} */
          readonly code: "idempotency_conflict"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly record: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "already_accepted"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly record: string
            readonly nonce: number
            /** @description Milliseconds since 1970. */
            readonly expires_after: number
            /** @description What was signed, 32 bytes in hex. */
            readonly signing_hash: string
            /** @description Of a single order. */
            readonly client_order_id: string | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "idempotency_expired"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly record: string
            /** @description `signed`: nothing of it is at the venue, so a new key may be used. */
            readonly state: string
            /** @description By which the venue refused it for its pace. */
            readonly venue?: {
              readonly status: number
              readonly code: string
            }
          }
        }
      | {
          /** @enum {string} */
          readonly code: "limit_exhausted"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly policy: string
            readonly limit: string
            readonly max: string
            readonly used: string
            readonly asked: string
            /** @description When there is room; null when there never is that much. */
            readonly frees_at: number | null
            /** @description How long until then. */
            readonly retry_after_ms: number | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "10029"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /** @constant */
            readonly scope: "address"
            readonly max: number
            readonly used: number
            /** @description What of it is free and kept for others. */
            readonly kept: number
            readonly asked: number
            /** @description When there is room; null when there never is that much. */
            readonly frees_at: number | null
            /** @description How long until then. */
            readonly retry_after_ms: number | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "ip_budget_exhausted"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            /** @constant */
            readonly scope: "ip"
            readonly max: number
            readonly used: number
            /** @description What of it is free and kept for others. */
            readonly kept: number
            readonly asked: number
            /** @description When there is room; null when there never is that much. */
            readonly frees_at: number | null
            /** @description How long until then. */
            readonly retry_after_ms: number | null
          }
        }
      | {
          /** @enum {string} */
          readonly code: "signer_pace"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly retry_after_ms: number
          }
        }
      | {
          /** @enum {string} */
          readonly code:
            | "action_tag_undisclosed"
            | "struct_undisclosed"
            | "signing_type_undisclosed"
            | "items_undisclosed"
            | "target_layout_undisclosed"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly endpoint: string
            /** @description The line of venue.yaml to add. */
            readonly add_line: string
          }
        }
      | {
          /** @enum {string} */
          readonly code: "read_group_undisclosed"
          /** @description One plain sentence. It may tell the bot's own values and the limits; never a secret. */
          readonly message: string
          readonly data: {
            readonly path: string
            readonly add_line: string
          }
        }
    readonly Denial: {
      readonly policy: string | null
      readonly rule: string | null
      /** @enum {string} */
      readonly reason:
        | "no_policy_applies"
        | "no_rule_covers_endpoint"
        | "endpoint_not_covered"
        | "denied_by_rule"
        | "idempotency_key_required"
        | "repeated_within"
        | "expires_in_over_max"
        | "symbol_without_max"
        | "symbol_without_min"
        | "quantity_over_max"
        | "quantity_under_min"
        | "quantity_unreadable"
        | "notional_over_max"
        | "notional_unknown"
        | "slippage_required"
        | "slippage_over_max"
        | "price_outside_band"
        | "reference_price_unknown"
        | "price_match_band_required"
        | "size_unreadable"
        | "market_order_type_required"
        | "full_tpsl_not_allowed"
        | "approval_unreadable"
        | "agent_address_not_allowed"
        | "authorized_address_not_allowed"
        | "valid_days_over_max"
        | "order_unreadable"
        | "limit_unreadable"
        | "read_not_allowed"
        | "symbol_not_allowed"
        | "side_not_allowed"
        | "order_type_not_allowed"
        | "time_in_force_not_allowed"
        | "flag_required"
        | "flag_forbidden"
        | "position_side_not_allowed"
        | "margin_mode_not_allowed"
        | "stp_mode_not_allowed"
        | "algo_order_type_not_allowed"
        | "client_order_id_not_allowed"
        | "target_address_not_allowed"
        | "label_not_allowed"
        | "outside_hours"
        | "body_field_not_allowed"
      readonly file: string | null
      readonly line: number | null
      /** @description Which order of a batch it is about, a JSON Pointer; absent where it is no single one. */
      readonly path?: string
      readonly asked: string | null
      readonly allowed: string | null
    }
    readonly Verdict: {
      readonly policy: string
      readonly rule: string
      readonly file: string
      readonly line: number
      /** @enum {string} */
      readonly verdict: "allows" | "denies" | "holds" | "does_not_match"
      readonly reason: string | null
    }
    readonly LimitView: {
      readonly policy: string
      readonly limit: string
      readonly file: string
      readonly line: number
      /** @enum {string} */
      readonly mode: "enforce" | "observe"
      /** @description A decimal string, in the limit's own unit. */
      readonly max: string
      /** @description A decimal string, in the limit's own unit. */
      readonly used: string
      /** @description A decimal string, in the limit's own unit. */
      readonly asked: string
      /** @description When what was asked would fit; null when it fits now or never will. */
      readonly frees_at: number | null
    }
    readonly CheckReport: {
      readonly would_sign: boolean
      readonly refusal: components["schemas"]["Refusal"] | null
      readonly verdicts: readonly components["schemas"]["Verdict"][]
      readonly limits: readonly components["schemas"]["LimitView"][]
    }
    readonly BatchResult: {
      /** @description What the HTTP status would be: 200 where it was signed. */
      readonly status: number
      /** @description `Countersign-Record`. */
      readonly record: string | null
      /** @description `Countersign-Repeat`. */
      readonly repeat: boolean
      /** @description Of the signature, in milliseconds. */
      readonly expires_after: number | null
      /** @description `Retry-After`, in seconds. */
      readonly retry_after: number | null
      /** @description The signed body as text, since not a byte of it may change on its way to the venue. */
      readonly body: string | null
      readonly error: components["schemas"]["Problem"] | null
    }
    readonly BatchResults: {
      readonly results: readonly components["schemas"]["BatchResult"][]
    }
    readonly FreezeView: {
      /** @enum {string} */
      readonly scope: "all" | "client" | "key"
      readonly name: string | null
      readonly reason: string
      readonly by: string
      /** @description Whether cancels and reduce-only orders stay open. */
      readonly cancels: boolean
      /** @description Milliseconds since 1970. */
      readonly since: number
    }
    readonly HeartbeatView: {
      readonly within_ms: number | null
      readonly then: ("freeze" | "panic") | null
      /** @description Whether something stops this client's orders by its default key now. A heartbeat never thaws. */
      readonly frozen: boolean
    }
    readonly PriceView: {
      readonly symbol: string
      readonly value: string | null
      /** @description Milliseconds since 1970. */
      readonly as_of: number | null
      /** @description Milliseconds since 1970. */
      readonly good_until: number | null
      /** @description profile, operator, or the client that fed it. */
      readonly by: string | null
      /** @enum {string} */
      readonly state: "known" | "stale" | "unconfirmed" | "none"
      /** @description What the drift is measured from; null without one. */
      readonly anchor: string | null
      /** @description What was fed and isn't in force: it moved too fast, or waits for a person. */
      readonly pending: string | null
    }
    readonly Prices: {
      readonly prices: readonly components["schemas"]["PriceView"][]
    }
    readonly KeyView: {
      readonly name: string
      /** @description EIP-55. */
      readonly address: string
      /** @enum {string} */
      readonly role: "wallet" | "agent"
      /** @description The wallet key that an agent key trades for. */
      readonly wallet: string | null
      /** @description Further accounts that it may operate. */
      readonly targets: readonly string[]
      /** @description The domain separator of the network that it was made for. */
      readonly network: string
      /** @enum {string} */
      readonly approval: "unknown" | "approved" | "revoked" | "retired" | "removed"
      /** @description When an agent's approval ends, in milliseconds. */
      readonly expires_at: number | null
      /** @description When it signed last; null when it never did. */
      readonly last_used: number | null
      /** @description Whether it has to be unlocked before it signs. */
      readonly locked: boolean
    }
    readonly Whoami: {
      readonly client: string
      readonly keys: readonly components["schemas"]["KeyView"][]
      /** @description Signs what names no key. */
      readonly default_key: string
      readonly rights: readonly string[]
      /** @description Whether it may sign with wallet keys. */
      readonly allow_type_b: boolean
      /** @description The network's, for account operations. */
      readonly service_chain: string | null
      /** @description One of them is an account operation's. */
      readonly signature_chain_ids: readonly number[]
    }
    readonly LimitUse: {
      readonly policy: string
      readonly limit: string
      readonly file: string
      readonly line: number
      /** @enum {string} */
      readonly mode: "enforce" | "observe"
      /** @enum {string} */
      readonly per: "client" | "key" | "symbol" | "account" | "all"
      /** @description The client, key or account; empty where it is counted for all. */
      readonly for: string
      /** @description The symbol or asset, where amounts of several are kept apart; else empty. */
      readonly of: string
      /** @description A decimal string, in the limit's own unit. */
      readonly max: string
      /** @description A decimal string, in the limit's own unit. */
      readonly used: string
    }
    readonly BudgetView: {
      /** @enum {string} */
      readonly scope: "address" | "ip"
      /** @description The rate-limit address; null for the IP budget. */
      readonly address: string | null
      readonly max: number
      readonly used: number
      /** @description What of that is the client's own. */
      readonly own: number
      /** @description What its requests may weigh now, cancels apart: what is kept for others isn't in it. */
      readonly left: number
    }
    readonly Limits: {
      readonly limits: readonly components["schemas"]["LimitUse"][]
      readonly budgets: readonly components["schemas"]["BudgetView"][]
    }
    readonly RecordView: {
      readonly id: string
      /** @enum {string} */
      readonly state:
        | "refused_here"
        | "signed"
        | "sent"
        | "accepted"
        | "refused"
        | "unknown"
        | "expired_unresolved"
      readonly client: string
      readonly key: string | null
      readonly operation: string | null
      readonly nonce: number | null
      /** @description Milliseconds since 1970. */
      readonly expires_after: number | null
      /** @description Milliseconds since 1970. */
      readonly decided_at: number
      readonly policy_hash: string
      readonly refusal: components["schemas"]["Refusal"] | null
      /** @description What the venue answered. */
      readonly outcome: {
        readonly status: number | null
        readonly code: string | null
      } | null
      /** @description The header that it came with. */
      readonly idempotency_key: string | null
      /** @description Of a single order. */
      readonly client_order_id: string | null
    }
    readonly Records: {
      readonly records: readonly components["schemas"]["RecordView"][]
    }
    readonly State: {
      readonly state: string
    }
    readonly Signing: {
      /**
       * @description What the vault signs now, as far as policies allow it.
       * @enum {string}
       */
      readonly signs: "all" | "reduce_only" | "cancels" | "nothing"
      /** @description Why not all; the gravest first. */
      readonly reasons: readonly (
        | "not_running"
        | "ledger_unavailable"
        | "restore_unaccepted"
        | "isolated"
        | "clock_unsafe"
        | "locked"
        | "frozen"
        | "disk_low"
        | "agent_expiring"
        | "price_stale"
        | "price_unconfirmed"
        | "action_tag_undisclosed"
      )[]
    }
    /** @description 429: the rate budget of an address has no room for it, by the vault's own count: nothing was sent. What to do: wait that long; cancels still go, one about every second, by turns. */
    readonly AddressBudgetExhausted: {
      /** @constant */
      readonly code: "10029"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /** @constant */
        readonly scope: "address"
        readonly max: number
        readonly used: number
        /** @description What of it is free and kept for others. */
        readonly kept: number
        readonly asked: number
        /** @description When there is room; null when there never is that much. */
        readonly frees_at: number | null
        /** @description How long until then. */
        readonly retry_after_ms: number | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 400: the body isn't strict JSON. What to do: fix the bot; `msg` names the place. */
    readonly InvalidJson: {
      /** @constant */
      readonly code: "invalid_json"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /** @description In bytes. */
        readonly offset: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 400: the body breaks rules of the venue's interface, or brings signing fields. What to do: fix each; the rules are below. */
    readonly InvalidRequest: {
      /** @constant */
      readonly code: "invalid_request"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly errors: readonly {
          /** @description A JSON Pointer into the body; empty for the body itself. */
          readonly path: string
          /** @description A word of docs/error-codes.md. */
          readonly rule: string
          readonly message: string
        }[]
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 400: a header or the first line can't be acted on: no Host or two, a query string, a header of ours that isn't known or can't be. What to do: leave it out or fix it. */
    readonly InvalidHeader: {
      /** @constant */
      readonly code: "invalid_header"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly header: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 401: no token, or nobody's. What to do: send the token that `countersign clients add` printed. */
    readonly Unauthorized: {
      /** @constant */
      readonly code: "unauthorized"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 401: the token was good until `expired_at`; only who shows it learns that. What to do: tell the operator: `countersign clients renew`. */
    readonly TokenExpired: {
      /** @constant */
      readonly code: "token_expired"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /** @description Milliseconds since 1970. */
        readonly expired_at: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: no rule allows it, a deny matches, or it is sent twice or without a key that the file wants. What to do: don't repeat it unchanged; act on `reason`, below. */
    readonly PolicyDenied: {
      /** @constant */
      readonly code: "policy_denied"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: components["schemas"]["Denial"]
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: an account operation, and the chosen key is an agent key. What to do: name a wallet key in `Countersign-Key`. */
    readonly WalletKeyRequired: {
      /** @constant */
      readonly code: "wallet_key_required"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: the client has no such key, or it is a wallet key and the client doesn't have `--allow-type-b`. What to do: use one of `/whoami`'s keys. */
    readonly KeyNotAllowed: {
      /** @constant */
      readonly code: "key_not_allowed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: `target_address` isn't an account of this key. What to do: leave it out, or use another key. */
    readonly TargetNotAllowed: {
      /** @constant */
      readonly code: "target_not_allowed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string
        readonly target: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: the key was made for another network than `venue.yaml`'s. What to do: tell the operator. */
    readonly WrongNetwork: {
      /** @constant */
      readonly code: "wrong_network"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: a `hold` of a policy matches, and no release of this very request can be used. What to do: have a person release it, then send the same request again. */
    readonly ApprovalRequired: {
      /** @constant */
      readonly code: "approval_required"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /** @description null where none was opened. */
        readonly hold: string | null
        /** @description null where the hold has ended already. */
        readonly expires_at: number | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: a revocation of this agent key was accepted. What to do: use another key; this one never signs again. */
    readonly AgentRevoked: {
      /** @constant */
      readonly code: "agent_revoked"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: the agent's approval ends within `stop_before` (6 h), or has ended. What to do: renew it; cancels and reduce-only orders on perpetuals still go. */
    readonly AgentExpiring: {
      /** @constant */
      readonly code: "agent_expiring"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly key: string
        /** @description Milliseconds since 1970. */
        readonly expires_at: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: the client doesn't have the right that this call needs. What to do: an operator gives it by `countersign clients set`. */
    readonly RightMissing: {
      /** @constant */
      readonly code: "right_missing"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly right: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 403: it came from a web page of another origin. What to do: don't call from a browser. */
    readonly OriginRefused: {
      /** @constant */
      readonly code: "origin_refused"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 404: nothing is served there, or the venue has no such write endpoint. What to do: fix the path. */
    readonly UnknownEndpoint: {
      /** @constant */
      readonly code: "unknown_endpoint"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly path: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 404: you have no record of that id. What to do: use the id from `Countersign-Record`. */
    readonly UnknownRecord: {
      /** @constant */
      readonly code: "unknown_record"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 405: the path takes another method. What to do: use the one in `Allow`. */
    readonly MethodNotAllowed: {
      /** @constant */
      readonly code: "method_not_allowed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 408: the request took too long to arrive. What to do: send it again, at once and whole. */
    readonly RequestTimeout: {
      /** @constant */
      readonly code: "request_timeout"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 409: the venue accepted this key's request, and its answer isn't kept here. What to do: don't send it anew; find it at the venue by these. */
    readonly AlreadyAccepted: {
      /** @constant */
      readonly code: "already_accepted"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly record: string
        readonly nonce: number
        /** @description Milliseconds since 1970. */
        readonly expires_after: number
        /** @description What was signed, 32 bytes in hex. */
        readonly signing_hash: string
        /** @description Of a single order. */
        readonly client_order_id: string | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 409: this idempotency key stands for another request of yours. What to do: send what the key stands for, or use a new key. */
    readonly IdempotencyConflict: {
      /** @constant */
      readonly code: "idempotency_conflict"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly record: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 409: this key's request has expired and is never signed anew; or it was refused, and the answer wasn't kept. What to do: with the state `signed` nothing is at the venue: ask under a new key; else look there first. */
    readonly IdempotencyExpired: {
      /** @constant */
      readonly code: "idempotency_expired"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly record: string
        /** @description `signed`: nothing of it is at the venue, so a new key may be used. */
        readonly state: string
        /** @description By which the venue refused it for its pace. */
        readonly venue?: {
          readonly status: number
          readonly code: string
        }
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 413: over 65,536 bytes. What to do: send less. */
    readonly BodyTooLarge: {
      /** @constant */
      readonly code: "body_too_large"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 415: not `application/json`, or encoded. What to do: fix the header. */
    readonly UnsupportedMediaType: {
      /** @constant */
      readonly code: "unsupported_media_type"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 421: `Host` isn't one of ours. What to do: use `127.0.0.1` with the port, or have the name added to `allowed_hosts`. */
    readonly MisdirectedHost: {
      /** @constant */
      readonly code: "misdirected_host"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 423: the keys are out of memory until the operator unlocks them. What to do: tell the operator: `countersign unlock`. */
    readonly Locked: {
      /** @constant */
      readonly code: "locked"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data:
        | {
            readonly key: string
          }
        | Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 423: everything, this client or this key is frozen, by an operator, a client, or a sign of trouble. What to do: stop placing orders and tell the operator: only `countersign thaw` ends it. */
    readonly Frozen: {
      /** @constant */
      readonly code: "frozen"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: components["schemas"]["FreezeView"]
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 429: a limit of the policy has no room for it. What to do: wait that long, or ask for less; cancels and reduce-only orders still go, unless the limit names them. */
    readonly LimitExhausted: {
      /** @constant */
      readonly code: "limit_exhausted"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly policy: string
        readonly limit: string
        readonly max: string
        readonly used: string
        readonly asked: string
        /** @description When there is room; null when there never is that much. */
        readonly frees_at: number | null
        /** @description How long until then. */
        readonly retry_after_ms: number | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 429: the IP's rate budget has no room for it, by the vault's own count: nothing was sent. What to do: wait that long; what reduces risk still goes, one about every second for each client. */
    readonly IpBudgetExhausted: {
      /** @constant */
      readonly code: "ip_budget_exhausted"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /** @constant */
        readonly scope: "ip"
        readonly max: number
        readonly used: number
        /** @description What of it is free and kept for others. */
        readonly kept: number
        readonly asked: number
        /** @description When there is room; null when there never is that much. */
        readonly frees_at: number | null
        /** @description How long until then. */
        readonly retry_after_ms: number | null
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 429: this signer's next nonce would be more than 1,000 ms ahead of the clock, or 1,250 for what reduces risk; or this client has as many of those as are left for others. What to do: wait that long. */
    readonly SignerPace: {
      /** @constant */
      readonly code: "signer_pace"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly retry_after_ms: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 429: many wrong tokens came, and yours is one. What to do: fix the token. */
    readonly TooManyBadTokens: {
      /** @constant */
      readonly code: "too_many_bad_tokens"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly retry_after_ms: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 431: more than 100 header lines or 16,384 bytes of them. What to do: send fewer. */
    readonly HeadersTooLarge: {
      /** @constant */
      readonly code: "headers_too_large"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 500: a bug, or something broke. What to do: tell the operator; the log has more. */
    readonly Internal: {
      /** @constant */
      readonly code: "internal"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 500: the signer couldn't be recovered from a signature, which was thrown away. What to do: have the machine's memory checked. */
    readonly SignatureCheckFailed: {
      /** @constant */
      readonly code: "signature_check_failed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: the interface doesn't tell this operation's tag. What to do: the operator adds the line to `venue.yaml`. */
    readonly ActionTagUndisclosed: {
      /** @constant */
      readonly code: "action_tag_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly endpoint: string
        /** @description The line of venue.yaml to add. */
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: the interface doesn't tell this type B operation's struct. What to do: the same. */
    readonly StructUndisclosed: {
      /** @constant */
      readonly code: "struct_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly endpoint: string
        /** @description The line of venue.yaml to add. */
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: the interface doesn't tell whether this operation is type A or B. What to do: the same. */
    readonly SigningTypeUndisclosed: {
      /** @constant */
      readonly code: "signing_type_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly endpoint: string
        /** @description The line of venue.yaml to add. */
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: the orders of this batch can't be counted: `venue.yaml` has its tag and no `items`. What to do: the same. */
    readonly ItemsUndisclosed: {
      /** @constant */
      readonly code: "items_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly endpoint: string
        /** @description The line of venue.yaml to add. */
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: the interface doesn't tell the message with `target_address`. What to do: the same, or leave `target_address` out. */
    readonly TargetLayoutUndisclosed: {
      /** @constant */
      readonly code: "target_layout_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly endpoint: string
        /** @description The line of venue.yaml to add. */
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: no group of `reads` in `venue.yaml` has this path, so what it weighs isn't known. What to do: the operator adds the line. */
    readonly ReadGroupUndisclosed: {
      /** @constant */
      readonly code: "read_group_undisclosed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly path: string
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 501: `venue.yaml` names no `base_url`. What to do: the same, or use `/sign` and send it yourself. */
    readonly BaseUrlMissing: {
      /** @constant */
      readonly code: "base_url_missing"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly add_line: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 502: signed, and no byte was sent; or a read, of which no byte was sent. What to do: send a new request. */
    readonly UpstreamUnreachable: {
      /** @constant */
      readonly code: "upstream_unreachable"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data:
        | {
            readonly record: string
            /** @description Milliseconds since 1970. */
            readonly expires_after: number
          }
        | Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 502: `all=true`, and the venue's answer isn't a page of a list. What to do: ask without `all=true`. */
    readonly NotPaginated: {
      /** @constant */
      readonly code: "not_paginated"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: the vault doesn't answer: it starts, stops or is stuck. What to do: try again after `Retry-After`. */
    readonly VaultUnavailable: {
      /** @constant */
      readonly code: "vault_unavailable"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: of `/readyz` alone: the vault signs nothing. What to do: `countersign status` says what to do. */
    readonly NotSigning: {
      /** @constant */
      readonly code: "not_signing"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: components["schemas"]["Signing"]
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: nothing can be recorded, so nothing is signed; on several hosts also what was signed and took too long to come out. What to do: tell the operator: disk full or broken; try again once it is fixed, with the same `Idempotency-Key` if there is one. */
    readonly LedgerUnavailable: {
      /** @constant */
      readonly code: "ledger_unavailable"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: a restored ledger waits for its operator, so nothing is signed. What to do: tell the operator: `ledger accept-restore`. */
    readonly RestoreUnaccepted: {
      /** @constant */
      readonly code: "restore_unaccepted"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /**
         * @description What is signed all the same.
         * @enum {string}
         */
        readonly signs: "reduce_only" | "cancels" | "nothing"
        /** @description What the operator does about it. */
        readonly fix: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: this host can't reach PostgreSQL and signs only cancels for a while, none that a limit counts or a person must release; this refusal has no record. What to do: ask another host. */
    readonly Isolated: {
      /** @constant */
      readonly code: "isolated"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /**
         * @description What is signed all the same.
         * @enum {string}
         */
        readonly signs: "reduce_only" | "cancels" | "nothing"
        /** @description What the operator does about it. */
        readonly fix: string
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: the clock leapt ahead, or is too far off the venue's: only cancels and reduce-only orders on perpetuals are signed. What to do: tell the operator: set the clock right, or `clock accept`. */
    readonly ClockUnsafe: {
      /** @constant */
      readonly code: "clock_unsafe"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data:
        | {
            /**
             * @description What is signed all the same.
             * @enum {string}
             */
            readonly signs: "reduce_only" | "cancels" | "nothing"
            /** @description What the operator does about it. */
            readonly fix: string
            /** @description Negative where the venue's clock is behind; null where this machine's leapt. */
            readonly venue_ahead_ms: number | null
            readonly max_venue_offset_ms: number | null
          }
        | Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: the ledger's disk has less room than `ledger.min_free` asks for: only cancels and reduce-only orders on perpetuals are signed; this refusal has no record. What to do: tell the operator: make room; cancel and reduce meanwhile. */
    readonly DiskLow: {
      /** @constant */
      readonly code: "disk_low"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        /**
         * @description What is signed all the same.
         * @enum {string}
         */
        readonly signs: "reduce_only" | "cancels" | "nothing"
        /** @description What the operator does about it. */
        readonly fix: string
        /** @description null where it can't be told. */
        readonly free_bytes: number | null
        readonly min_free_bytes: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 503: your part of what may be at work is taken (of requests, of batches, of reads, of sends), or of the 1,000 that may wait for a person. What to do: try again after `Retry-After`, or have a person decide what waits. */
    readonly Overloaded: {
      /** @constant */
      readonly code: "overloaded"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 504: signed and sent, and the answer was lost; or the same bytes were sent again and refused, which proves nothing of the first. What to do: look at the venue first; after `expires_after` it can't be accepted any more, but may have been before. */
    readonly UpstreamOutcomeUnknown: {
      /** @constant */
      readonly code: "upstream_outcome_unknown"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly record: string
        /** @description Milliseconds since 1970. */
        readonly expires_after: number
        readonly venue?: {
          readonly status: number
          readonly code: string | null
        }
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 504: signed, expired before it could be sent (or, on several hosts, came out too late to be), not sent. What to do: send a new request. */
    readonly TooLate: {
      /** @constant */
      readonly code: "too_late"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: {
        readonly record: string
        /** @description Milliseconds since 1970. */
        readonly expires_after: number
      }
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    /** @description 504: a read whose answer broke off, was over 1 MiB or took too long. What to do: ask again, it changes nothing. */
    readonly ReadFailed: {
      /** @constant */
      readonly code: "read_failed"
      /** @description For people; it may change. */
      readonly msg: string
      readonly data: Record<string, never>
      /** @description The record's id, where there is one. */
      readonly trace_code: string
    }
    readonly BatchRequests: {
      readonly requests: readonly components["schemas"]["BatchRequest"][]
    }
    /** @description The business fields as they were sent, with what the daemon filled in. */
    readonly SignedBody: {
      readonly signer_address: string
      readonly target_address?: string
      readonly nonce: number
      /** @description Milliseconds since 1970. */
      readonly expires_after: number
      readonly signature: {
        readonly r: string
        readonly s: string
        /** @enum {integer} */
        readonly v: 27 | 28
      }
    } & {
      readonly [key: string]: unknown
    }
    /** @description The venue's own words, as they came; see `Countersign-Source`. */
    readonly VenueAnswer: {
      /** @description "0" on success, and only then. */
      readonly code: string
      readonly msg: string
      /** @description On success all of what is named; on errors whatever tells more of them. */
      readonly data: {
        readonly [key: string]: unknown
      }
      readonly trace_code: string
    } & {
      readonly [key: string]: unknown
    }
    /** @description The venue's own words, as they came; see `Countersign-Source`. */
    readonly PlaceOrderAnswer: {
      /** @description "0" on success, and only then. */
      readonly code: string
      readonly msg: string
      /** @description On success all of what is named; on errors whatever tells more of them. */
      readonly data: {
        readonly tx_hash?: string
        readonly order_id?: string
        readonly client_order_id?: string | null
        readonly state?: string
      } & {
        readonly [key: string]: unknown
      }
      readonly trace_code: string
    } & {
      readonly [key: string]: unknown
    }
    /** @description The venue's own words, as they came; see `Countersign-Source`. */
    readonly ReadAnswer: {
      /** @description "0" on success, and only then. */
      readonly code: string
      readonly msg: string
      /** @description On success all of what is named; on errors whatever tells more of them. */
      readonly data: {
        readonly list?: readonly unknown[]
        readonly next_cursor?: string | null
        readonly has_more?: boolean
      } & {
        readonly [key: string]: unknown
      }
      readonly trace_code: string
    } & {
      readonly [key: string]: unknown
    }
    /** @description Any of the daemon's errors. */
    readonly Problem:
      | components["schemas"]["AddressBudgetExhausted"]
      | components["schemas"]["InvalidJson"]
      | components["schemas"]["InvalidRequest"]
      | components["schemas"]["InvalidHeader"]
      | components["schemas"]["Unauthorized"]
      | components["schemas"]["TokenExpired"]
      | components["schemas"]["PolicyDenied"]
      | components["schemas"]["WalletKeyRequired"]
      | components["schemas"]["KeyNotAllowed"]
      | components["schemas"]["TargetNotAllowed"]
      | components["schemas"]["WrongNetwork"]
      | components["schemas"]["ApprovalRequired"]
      | components["schemas"]["AgentRevoked"]
      | components["schemas"]["AgentExpiring"]
      | components["schemas"]["RightMissing"]
      | components["schemas"]["OriginRefused"]
      | components["schemas"]["UnknownEndpoint"]
      | components["schemas"]["UnknownRecord"]
      | components["schemas"]["MethodNotAllowed"]
      | components["schemas"]["RequestTimeout"]
      | components["schemas"]["AlreadyAccepted"]
      | components["schemas"]["IdempotencyConflict"]
      | components["schemas"]["IdempotencyExpired"]
      | components["schemas"]["BodyTooLarge"]
      | components["schemas"]["UnsupportedMediaType"]
      | components["schemas"]["MisdirectedHost"]
      | components["schemas"]["Locked"]
      | components["schemas"]["Frozen"]
      | components["schemas"]["LimitExhausted"]
      | components["schemas"]["IpBudgetExhausted"]
      | components["schemas"]["SignerPace"]
      | components["schemas"]["TooManyBadTokens"]
      | components["schemas"]["HeadersTooLarge"]
      | components["schemas"]["Internal"]
      | components["schemas"]["SignatureCheckFailed"]
      | components["schemas"]["ActionTagUndisclosed"]
      | components["schemas"]["StructUndisclosed"]
      | components["schemas"]["SigningTypeUndisclosed"]
      | components["schemas"]["ItemsUndisclosed"]
      | components["schemas"]["TargetLayoutUndisclosed"]
      | components["schemas"]["ReadGroupUndisclosed"]
      | components["schemas"]["BaseUrlMissing"]
      | components["schemas"]["UpstreamUnreachable"]
      | components["schemas"]["NotPaginated"]
      | components["schemas"]["VaultUnavailable"]
      | components["schemas"]["NotSigning"]
      | components["schemas"]["LedgerUnavailable"]
      | components["schemas"]["RestoreUnaccepted"]
      | components["schemas"]["Isolated"]
      | components["schemas"]["ClockUnsafe"]
      | components["schemas"]["DiskLow"]
      | components["schemas"]["Overloaded"]
      | components["schemas"]["UpstreamOutcomeUnknown"]
      | components["schemas"]["TooLate"]
      | components["schemas"]["ReadFailed"]
    readonly WriteBodies: {
      readonly "/v1/trade/orders": components["schemas"]["PlaceOrder"]
      readonly "/v1/trade/orders/modify": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/cancel": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/chase": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/batch": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/batch/modify": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/batch/cancel": components["schemas"]["Payload"]
      readonly "/v1/trade/orders/cancel-all": components["schemas"]["Payload"]
      readonly "/v1/account/position-mode": components["schemas"]["Payload"]
      readonly "/v1/account/leverage": components["schemas"]["Payload"]
      readonly "/v1/account/isolated-margin": components["schemas"]["Payload"]
      readonly "/v1/account/approve-agent": components["schemas"]["ApproveAgent"]
      readonly "/v1/account/revoke-agent": components["schemas"]["Payload"]
      readonly "/v1/account/renew-agent": components["schemas"]["Payload"]
      readonly "/v1/account/create-sub": components["schemas"]["Payload"]
      readonly "/v1/account/transfer": components["schemas"]["Payload"]
      readonly "/v1/account/withdraw": components["schemas"]["Payload"]
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
