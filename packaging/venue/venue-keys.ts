import { accountKeys } from "./account-keys.ts"
import { endpointKeys } from "./endpoint-keys.ts"
import { symbolKeys } from "./symbol-keys.ts"
import type { VenueKeys } from "./venue-key.ts"

const byOperation = "a map by operation"
const map = "a map"
const paths = "a list of at most 50 paths"
const readRefused = "a read of it answers 501 `read_group_undisclosed`"

const chainId = { type: "integer", minimum: 1 }

const topKeys: VenueKeys = {
  extends: { meaning: "The profile that this file adds to: what the venue's interface discloses." },
  base_url: {
    form: "`https://host[:port][/path]`; http on loopback alone",
    meaning: "Where the venue is.",
    without: "`/sign` works, `/v1` answers 501 `base_url_missing`; `doctor` warns",
  },
  domain: { form: map, meaning: "The EIP-712 domain. Keys are bound to it when they are made." },
  type_b: { form: map, meaning: "What Type B messages say of the network." },
  endpoints: {
    form: byOperation,
    meaning: "How operations are signed and laid out that the interface doesn't disclose.",
    without: "all but `placeOrder` and `approveAgent` answer 501, with the line to add",
  },
  agent_message_with_target: {
    form: '`"Agent(…)"`',
    meaning:
      "The message of a Type A request with `target_address`: the disclosed fields and one address more.",
    without: "such a request answers 501 `target_layout_undisclosed`",
  },
  symbols: {
    form: "a list",
    meaning: "The venue's symbols.",
    without: "policies can't name any; what bounds size in quote units refuses every order",
  },
  extra_fields: {
    form: `${byOperation}, of lists of names`,
    meaning:
      "Fields that a body may have besides the documented ones. Those of `placeOrder` hold for orders in batches and modifies too.",
    without: "a field that isn't documented is refused: `unknown_field`",
  },
  canonical_json: { form: map, meaning: "How a body is written down to be hashed." },
  tpsl_legs: {
    meaning:
      "Whether a take-profit and a stop may both fill, or one alone, which then only reduces.",
    without: "legs count in limits like orders",
  },
  fee_rate: {
    form: "a percentage from 0% to 100%",
    meaning:
      "The highest fee that the venue takes of what an order trades. Limits with `sum: worst_cost` count it.",
    without: "`0.1%`; the interface discloses no fees",
  },
  panic: {
    form: "a list of at most 20",
    meaning: "The cancels that `countersign panic` and heartbeats sign.",
    without: "a panic freezes and cancels nothing; `status`, `doctor` and `policy check` warn",
  },
  reads: {
    form: map,
    meaning: "Which group a path of the venue is of, so what a read of it weighs.",
    without: "every read answers 501 `read_group_undisclosed`",
  },
  price_poll: {
    form: map,
    meaning: "Where the gate reads reference prices by itself.",
    without: "prices come from clients, from `reference_price` and from `countersign prices set`",
  },
  codes: {
    form: map,
    meaning: "The venue's own error codes, as far as something follows from them.",
  },
  defaults: { form: map, meaning: "What the venue takes where an order doesn't say." },
}

const networkKeys: VenueKeys = {
  "domain.name": { meaning: "May be repeated, not changed." },
  "domain.version": {
    meaning: "May be repeated, not changed.",
    written: { enum: ["1", 1] },
  },
  "domain.chain_id": {
    form: "a whole number above zero",
    meaning:
      "Of the network. Another number is another network: keys of one sign nothing for the other (403 `wrong_network`).",
    written: chainId,
  },
  "type_b.service_chain": {
    form: "a text",
    meaning:
      "The network's name in Type B messages. With another `chain_id` it can't be the main network's.",
    without: "`Mainnet` under the main network's `chain_id`; under another, Type B answers 501",
  },
  "type_b.signature_chain_ids": {
    form: "a list of whole numbers",
    meaning: "What `signature_chain_id` may be. Commands send the first.",
    without: "`[84256]` under the main network's `chain_id`; under another, Type B answers 501",
    written: { type: "array", minItems: 1, items: chainId },
  },
}

const readingKeys: VenueKeys = {
  "canonical_json.sort": { meaning: "How deep keys are sorted." },
  "canonical_json.escape": {
    meaning:
      "Which characters are escaped: those of `JSON.stringify`, or `<`, `>`, `&`, U+2028 and U+2029 besides.",
  },
  "canonical_json.nulls": { meaning: "What becomes of a field that is null." },
  "codes.duplicate_nonce": {
    form: "the venue's code",
    meaning:
      "Says that the signer has used this nonce. Of a request sent again it proves that the first sending was accepted; else `freeze_on: nonce_trouble` freezes.",
    without: "a repeated nonce is a refusal like others",
    written: { type: ["string", "number"] },
  },
  "codes.not_processed": {
    form: "a list of the venue's codes",
    meaning:
      "Say that a request wasn't processed and may come back, as status 429 does whatever its code: under its idempotency key the same bytes are sent again while they are good.",
    without: "429 alone says so",
    written: { type: "array", items: { type: ["string", "number"] } },
  },
  "defaults.market_order_type": {
    meaning:
      "Whether the quantity of a spot market order that says neither is in base or in quote units.",
    without: "rules that bound size refuse such an order",
  },
}

const panicKeys: VenueKeys = {
  "panic.operation": { meaning: "The cancel. How it is signed has to be known." },
  "panic.key": {
    form: "a key's name",
    meaning: "Who signs.",
    without: "every agent key that hasn't ended",
  },
  "panic.target": {
    form: "an address",
    meaning: "The account that is acted for, as `target_address`.",
    without: "the body has no `target_address`",
  },
  "panic.body": { form: "JSON in quotes", meaning: "The business fields." },
}

const readKeys: VenueKeys = {
  "reads.market": { form: paths, meaning: "Of weight 2.", without: readRefused },
  "reads.trade": { form: paths, meaning: "Of weight 2.", without: readRefused },
  "reads.account": { form: paths, meaning: "Of weight 2.", without: readRefused },
  "reads.explorer": { form: paths, meaning: "Of weight 40.", without: readRefused },
}

const pointer = "a JSON Pointer"

const pricePollKeys: VenueKeys = {
  "price_poll.path": {
    form: "a path, and a query where it needs one",
    meaning:
      "What is read. It is in a group of `reads`. With `{id}` in it, it is read for each symbol, whose id takes that place.",
  },
  "price_poll.list": {
    form: pointer,
    meaning:
      "Where the answer has its list of symbols; the next two then lead on from an entry of it.",
    without: "the next two lead on from the answer itself, which is of one symbol",
  },
  "price_poll.symbol": {
    form: pointer,
    meaning:
      "Where the symbol is, by its `id` or `name`. Others than those of `symbols` are left out.",
  },
  "price_poll.value": {
    form: pointer,
    meaning: "Where its price is, a string or a number without exponent.",
  },
  "price_poll.every": {
    form: "a duration from 1s to 1h",
    meaning:
      "From one round of reads to the next. A round may weigh up to half of the IP budget in a minute. Stay well below half of `max_age`.",
  },
}

/** Every key of venue.yaml. A test holds that the schema has these and no others. */
export const venueKeys: VenueKeys = {
  ...topKeys,
  ...networkKeys,
  ...endpointKeys,
  ...symbolKeys,
  ...readingKeys,
  ...panicKeys,
  ...readKeys,
  ...pricePollKeys,
  ...accountKeys,
}
