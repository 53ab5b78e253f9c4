/** Where the keys of a new installation rest, and what opens that. */
export type KeystoreSettings = {
  readonly backend: "keychain" | "keystore" | "memory"
  readonly driver?: "native" | "keytar"
  readonly passphraseFile?: string | undefined
  /** Name of a systemd credential. */
  readonly credential?: string | undefined
}

/** The countersign.yaml that `init` writes. Paths are JSON strings, which YAML reads as they are. */
export function configText(settings: KeystoreSettings): string {
  return `# Countersign's own settings. docs/operations/settings.md explains each.
keystore:
  backend: ${settings.backend}
${keystoreLine(settings)}

# listen: {host: 127.0.0.1, port: 8420}
# allowed_hosts: []                # further names that Host may carry, without port
# expires_in: {trade: 15s, type_b: 60s}
# stop_before: 6h                  # before its approval ends, an agent signs only what reduces risk
# agent_warning: 7d                # from then on, status and log warn that an approval ends
# wallet_keys: {lifetime: 8h, lock_on_idle: 15m}   # wallet keys lock themselves; off unless set
# prices: {max_age: 60s, max_step: 5%, max_drift_per_minute: 10%, max_drift: 40%}   # of prices that a client feeds
# reload_on_change: false          # true: changed files are loaded without being told to
# signer_dir: /a/directory         # of the signers' locks and marks, outside of every backup
# max_start_gap: 7d                # how far the clock may run on while the machine is off
# notify: [{name: desk, form: slack, url_file: slack-url}]   # whom alarms are told; countersign notify test tries it
# attest: off                      # required: changed files wait for countersign policy accept
`
}

function keystoreLine({ backend, driver, passphraseFile, credential }: KeystoreSettings): string {
  if (backend === "memory") return "  # memory: keys are lost when the daemon stops"
  if (backend === "keychain") return `  driver: ${driver ?? "native"}`
  if (credential !== undefined) return `  credential: ${credential}`
  return passphraseFile === undefined
    ? "  # passphrase_file: /path/to/a/file    # without it, the passphrase is asked for on a terminal"
    : `  passphrase_file: ${JSON.stringify(passphraseFile)}`
}

/** The venue.yaml of the main network: what the interface discloses, and a place for what it doesn't. */
export function mainVenueText(baseUrl: string | undefined): string {
  return `# The venue, as its interface discloses it, and what you add from the venue's own documentation.
# What isn't disclosed is never guessed: such an endpoint answers 501 and names the line to add here.
extends: builtin
${baseUrl === undefined ? "# base_url: https://…              # without it /sign works and /v1 answers 501" : `base_url: ${JSON.stringify(baseUrl)}`}
domain: {name: Service, version: "1", chain_id: 84256}
type_b: {service_chain: Mainnet, signature_chain_ids: [84256]}

# endpoints:
#   cancelOrder: {action_tag: …, fields: [order_id]}   # the names that its body may have
#   placeBatch: {action_tag: …, items: /orders, item_like: placeOrder}
# agent_message_with_target: "Agent(…)"
# panic:                            # what countersign panic sends; without it a panic freezes and cancels nothing
#   - {operation: cancelAll, body: '{…}'}
# symbols:                          # policies name symbols by these names, and size orders by the prices
#   - {id: 1, name: BTC-PERP, market: perp, quote: USD, reference_price: {value: "64000", as_of: 2026-11-20T12:00:00Z}}
# extra_fields: {placeOrder: []}
# reads:                            # what GET /v1/… weighs: 2, and 40 of the explorer
#   {market: ["/v1/…"], trade: ["/v1/…"], account: ["/v1/…"], explorer: ["/v1/…"]}
`
}
