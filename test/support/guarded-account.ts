import { addressOfSecret } from "./key-pair.ts"

const secret = new Uint8Array(32).fill(7)

/** The wallet whose account it is. */
export const guardedWallet = { secret, address: addressOfSecret(secret) }

/** What venue.yaml says of an account that guards bound. */
export const guardedAccount = `
account:
  accounts: {main: {address: "${guardedWallet.address}"}}
  lag: 3s
  poll: {busy: 2s, idle: 30s}
  orders:
    - {path: /v1/trade/open-orders?account_address=$account, list: /data/list, symbol: /symbol_id,
       side: {at: /is_buy, buy: "true", sell: "false"}, remaining: /quantity}
  positions: {path: /v1/account/positions?account_address=$account, list: /data/list, symbol: /symbol_id, quantity: /quantity, sign: signed}
`

/** The same, with what it is worth. */
export const valuedAccount = `${guardedAccount}  equity: {path: /v1/account/equity?account_address=$account, value: /data/equity}
`
