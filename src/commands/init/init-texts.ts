import { join } from "node:path"

import { shellWord } from "../../std/visible.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { joinedLines } from "../../venue/builtin-profile.ts"
import { cancelIds, type Profile, type SymbolEntry } from "../../venue/profile.ts"

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

/** An installation that was just made: no key, no client, and no policy that allows anything. */
export type NewlyMade = {
  readonly installation: Installation
  readonly profile: Profile
  readonly isSandbox: boolean
  readonly backend: KeystoreSettings["backend"]
  readonly nowMs: number
}

/** The commands that lead to a first order, in order, to be copied. What else a person has to do, their comments say. */
export function nextCommands(made: NewlyMade): readonly string[] {
  const edited = `# once you have edited ${toEdit(made).map(shellWord).join(" and ")}`
  const start = startCommands(made)
  const trade = [
    ...priceCommands(made),
    "countersign agent approve mm --valid-days 30   # beside the daemon: now the venue takes what mm signs",
    "countersign doctor   # tells what is still wrong",
  ]
  // Keys that rest in the daemon's memory are made once it runs.
  if (made.backend === "memory")
    return [...start, ...keyCommands(made), `countersign policy reload   ${edited}`, ...trade]
  return [...keyCommands(made), `countersign policy check   ${edited}`, ...start, ...trade]
}

function toEdit({ installation, profile }: NewlyMade): readonly string[] {
  const { venueFile, policiesDir } = pathsOf(installation)
  const incomplete = venueGaps(profile).length === 0 ? [] : [venueFile]
  return [...incomplete, join(policiesDir, "example.yaml")]
}

function startCommands({ isSandbox, profile }: NewlyMade): readonly string[] {
  const own = "in a terminal of its own"
  const sandbox = `countersign sandbox   # the venue, at ${profile.baseUrl ?? ""}, ${own}`
  return [...(isSandbox ? [sandbox] : []), `countersign serve   # ${own}`]
}

function keyCommands({ isSandbox }: NewlyMade): readonly string[] {
  const wallet = "--name main --role wallet"
  return [
    isSandbox
      ? `countersign keys generate ${wallet}`
      : `countersign keys import ${wallet} < key.hex`,
    "countersign keys generate --name mm --role agent --wallet main",
    "countersign clients add bot --keys mm   # shows the bot's token, this once",
  ]
}

function priceCommands({ profile, nowMs }: NewlyMade): readonly string[] {
  if (profile.symbols.byName.size === 0) return [priceCommand("BTC-PERP", "and so on, by symbol")]
  const [first, ...others] = unpricedSymbols(profile, nowMs).map(({ name }) => name)
  if (first === undefined) return []
  if (profile.pricePoll !== undefined) return [confirmCommand]
  const more = others.length === 0 ? "" : `; ${others.length} more have none either`
  return [priceCommand(first, `without a price, orders can't be sized${more}`)]
}

/** A polled price is believed by its distance from one that a person gave. */
const confirmCommand =
  "countersign prices confirm --all   # beside the daemon, once you have compared what it polled: countersign prices show"

function priceCommand(symbol: string, comment: string): string {
  return `countersign prices set ${shellWord(symbol)} PRICE   # ${comment}`
}

/** The lines that venue.yaml lacks before one can trade by it, each with what goes wrong without it as its comment. */
export function venueGaps({ baseUrl, endpoints, symbols }: Profile): readonly string[] {
  const cancels = cancelIds.flatMap((id) => {
    const signing = endpoints.get(id)?.signing
    return signing === undefined || signing.known ? [] : [signing.addLine]
  })
  return [
    ...(baseUrl === undefined
      ? ["base_url: https://…   # else nothing is sent: /sign works, and /v1 answers 501"]
      : []),
    ...joinedLines(cancels).map((line) => `${line}   # else these cancels aren't signed`),
    ...(symbols.byName.size === 0
      ? [
          "symbols: [{id: <id>, name: BTC-PERP, market: perp, quote: USD}]   # else policies bound no size",
        ]
      : []),
  ]
}

/** The symbols without a price to size orders by. */
export function unpricedSymbols({ symbols }: Profile, nowMs: number): readonly SymbolEntry[] {
  return [...symbols.byName.values()].filter(
    ({ referencePrice: price }) => price === undefined || nowMs >= price.asOfMs + price.maxAgeMs,
  )
}
