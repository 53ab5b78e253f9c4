import type { VenueKey, VenueKeys } from "./venue-key.ts"

const map = "a map"
const pointer = "a JSON Pointer"

/** A word of an answer; YAML takes some of them for something else. */
const word = { type: ["string", "number", "boolean"] }

const path: VenueKey = {
  form: "a path with `$account`, and a query where it needs one",
  meaning:
    "What is read; the account's address takes the place of `$account`. In a group of `reads`.",
}
const list: VenueKey = {
  form: pointer,
  meaning: "Where the answer has its list. What follows leads on from an entry of it.",
}
const symbol: VenueKey = {
  form: pointer,
  meaning: "Where the symbol is, by its `id` or `name`.",
}
const positionSide: VenueKey = {
  form: pointer,
  meaning: "Where `long`, `short` or `both` is; it may be `null` or not there.",
  without: "the file is refused if an account is in hedge mode",
}

const listKeys: VenueKeys = {
  "account.orders.path": path,
  "account.orders.list": list,
  "account.orders.symbol": symbol,
  "account.orders.side": { form: map, meaning: "Whether it buys or sells." },
  "account.orders.side.at": { form: pointer, meaning: "Where it is." },
  "account.orders.side.buy": {
    form: "a word, a number, `true` or `false`",
    meaning: "What is there when it buys.",
    written: word,
  },
  "account.orders.side.sell": {
    form: "another",
    meaning: "What is there when it sells.",
    written: word,
  },
  "account.orders.remaining": {
    form: `${pointer}, or \`{from: /quantity, less: /filled}\``,
    meaning:
      "Where what is left of the order is, a string or a number without exponent; or what it was and what of it is filled.",
  },
  "account.orders.price": {
    form: pointer,
    meaning: "Where its price is; it may be `null` or not there.",
    without: "no order has a price",
  },
  "account.orders.reduce_only": {
    form: map,
    meaning: "Whether it can only reduce a position.",
    without: "every order counts as one that opens",
  },
  "account.orders.reduce_only.at": { form: pointer, meaning: "Where it is." },
  "account.orders.reduce_only.is": {
    form: "a word, a number, `true` or `false`",
    meaning: "What is there when it can only reduce; with anything else it opens.",
    written: word,
  },
  "account.orders.position_side": positionSide,
  "account.positions.path": path,
  "account.positions.list": list,
  "account.positions.symbol": symbol,
  "account.positions.quantity": {
    form: pointer,
    meaning: "Where its quantity is, a string or a number without exponent.",
  },
  "account.positions.sign": {
    form: "`signed`, or `{at: /side, long: long, short: short}`",
    meaning:
      "That the quantity is below zero when it is short; or where its side is, and what is there of a long and of a short one.",
    written: {
      anyOf: [
        { const: "signed" },
        {
          type: "object",
          properties: { at: { type: "string" }, long: word, short: word },
          required: ["at", "long", "short"],
          additionalProperties: false,
        },
      ],
    },
  },
  "account.positions.position_side": positionSide,
  "account.equity.path": path,
  "account.equity.value": {
    form: pointer,
    meaning:
      "Where the answer has it, a string or a number without exponent; it may be below zero.",
  },
  "account.equity.currency": {
    form: map,
    meaning: "In what it is worth that.",
    without: "what it is in isn't looked at",
  },
  "account.equity.currency.at": { form: pointer, meaning: "Where the answer says it." },
  "account.equity.currency.is": {
    form: "a word or a number",
    meaning: "What is there. With anything else the account isn't read.",
    written: word,
  },
}

/** The keys of `account`. */
export const accountKeys: VenueKeys = {
  account: {
    form: map,
    meaning: "Which accounts guards go by, and where the gate reads them by itself.",
    without: "no account is read",
  },
  "account.accounts": {
    form: "a map by name",
    meaning: "Whose open orders and positions are read.",
  },
  "account.accounts.address": {
    form: "an address",
    meaning: "Of the account: of the wallet or sub-account, not of an agent key. No two share one.",
  },
  "account.accounts.position_mode": {
    meaning: "What the venue has it in: one position of a symbol, or a long and a short one.",
  },
  "account.lag": {
    form: "a duration from 0ms to 60s",
    meaning:
      "The longest the venue takes to show what it did. Positions are read that long after the orders.",
  },
  "account.poll": { form: map, meaning: "How often the gate reads each account." },
  "account.poll.busy": {
    form: "a duration from 1s to 60s",
    meaning: "From one reading to the next while something is to be settled.",
  },
  "account.poll.idle": {
    form: "a duration from `busy` to 10m",
    meaning: "While nothing is, and nothing was refused for want of room.",
  },
  "account.orders": {
    form: "a list of 1 to 4",
    meaning:
      "Every list of open orders that the venue has. One that is missing here isn't seen. A list that orders leave for another, as triggers do, comes before that.",
    without: "a client reads the accounts; `positions`, `equity` and `poll` are refused then",
  },
  "account.positions": {
    form: map,
    meaning: "The list of positions.",
    without: "as without `orders`, which needs it",
  },
  "account.equity": {
    form: map,
    meaning: "What the account is worth. Read after the positions.",
    without: "it isn't read",
  },
  ...listKeys,
}
