// Who may import whom below src/, for lint and for the test that holds ARCHITECTURE.md against it.

/** A path is from `src/` on: a folder's ends with a slash, a file's has no extension. */
type Row = {
  readonly path: string
  /** What of ours it may import, besides itself. */
  readonly may: readonly string[] | "everything"
  /** What of ours it may import types of. */
  readonly types?: readonly string[]
  /** What of others' it never imports, as keys of {@link modules}. */
  readonly never?: readonly string[]
  readonly why: string
}

/** What of Node's and of packages' a row can keep out, by its word in ARCHITECTURE.md. */
export const modules: Readonly<Record<string, RegExp>> = {
  "`node:*`": /^node:/,
  "`node:*` but HTTP": /^node:(?!https?$|stream\/consumers$)/,
  SQLite: /^node:sqlite$/,
  HTTP: /^node:https?$|^node:http2$/,
  TLS: /^node:(?:tls|https|http2)$/,
  undici: /^undici/,
  Express: /^(?:express|helmet)/,
}

/** Of the rows that a file lies in, the one with the longest path holds. */
export const importTable: readonly Row[] = [
  { path: "std/", may: [], why: "std/ knows nothing of the product." },
  { path: "venue/", may: ["std/"], never: ["`node:*`"], why: "venue/ is pure." },
  { path: "vault/policy/", may: ["std/", "venue/"], never: ["`node:*`"], why: "policy/ is pure." },
  {
    path: "vault/guards/",
    may: ["std/", "venue/"],
    types: ["vault/policy/"],
    never: ["`node:*`"],
    why: "guards/ is pure.",
  },
  {
    path: "link/",
    may: ["std/"],
    types: ["venue/", "contract/"],
    why: "link/ carries, and judges nothing.",
  },
  {
    path: "contract/",
    may: ["std/", "link/"],
    types: ["venue/"],
    why: "contract/ is for who asks the vault: the vault has its types alone.",
  },
  {
    path: "words/",
    may: ["std/", "venue/"],
    types: ["contract/"],
    why: "words/ says to people what the vault has read.",
  },
  {
    path: "conditions/",
    may: ["std/", "contract/"],
    types: ["link/"],
    never: ["`node:*`"],
    why: "conditions/ derives from the vault's facts what is wrong, and asks nobody.",
  },
  {
    path: "gate/",
    may: ["std/", "link/", "contract/", "words/", "conditions/"],
    never: ["SQLite"],
    why: "The gate has no key, no policy, no database.",
  },
  {
    path: "relay/",
    may: ["std/"],
    never: ["SQLite", "HTTP", "undici", "Express"],
    why: "The relay carries bytes that it doesn't read.",
  },
  {
    path: "vault/",
    may: ["std/", "venue/", "link/"],
    types: ["contract/"],
    never: ["HTTP", "TLS", "undici", "Express"],
    why: "The vault opens no network connection.",
  },
  {
    path: "audit/",
    may: [
      ...["std/", "venue/", "vault/active/", "vault/config/", "vault/ledger/"],
      ...["vault/policy/", "vault/process/", "vault/request/", "vault/status/"],
    ],
    types: ["contract/", "link/calls/"],
    never: ["HTTP", "TLS", "undici", "Express"],
    why: "audit/ reads the ledger and has no key.",
  },
  {
    path: "sandbox/",
    may: ["std/"],
    why: "The sandbox checks the daemon, so it shares none of its hashing or rules.",
  },
  {
    path: "client/",
    may: [],
    never: ["`node:*` but HTTP"],
    why: "A bot's project has the client alone.",
  },
  {
    path: "mcp/",
    may: ["std/", "client/", "words/", "venue/"],
    never: ["SQLite", "HTTP", "TLS", "undici", "Express"],
    why: "The tools of agents ask the daemon by the client alone.",
  },
  {
    path: "console/",
    may: ["std/", "link/", "contract/"],
    never: ["SQLite"],
    why: "The console's server has the pipe and what it serves.",
  },
  {
    path: "console/page/",
    may: [],
    types: ["console/asks"],
    never: ["`node:*`"],
    why: "The page runs in a browser.",
  },
  { path: "commands/", may: "everything", why: "Commands set up and ask all there is." },
  { path: "main", may: "everything", why: "It starts the command line." },
]

type KeyringRow = { readonly path: string; readonly modules: readonly string[] }

/** Of vault/keyring/, what each folder of commands may import. */
export const keyringOfCommands: readonly KeyringRow[] = [
  { path: "commands/", modules: ["curve", "keychain/preflight"] },
  { path: "commands/doctor/live/", modules: ["curve", "keyring"] },
  {
    path: "commands/init/",
    modules: [
      "keystore-files",
      "keystore-v3",
      "keychain/keychain",
      "keychain/key-registry",
      "keychain/preflight",
      "keychain/with-keychain",
    ],
  },
  {
    path: "commands/keys/",
    modules: ["curve", "generate-secret", "keystore-v3", "keychain/hex-text"],
  },
]

/** Whether a file, by its path from `src/` on, is what a path of a table means, or below it. */
export function isUnder(file: string, path: string): boolean {
  return path.endsWith("/") ? file.startsWith(path) : file === `${path}.ts`
}

/** The row that says most about a file; `undefined` where none does. */
export function rowOf<Row extends { readonly path: string }>(
  file: string,
  rows: readonly Row[],
): Row | undefined {
  return rows
    .filter(({ path }) => isUnder(file, path))
    .toSorted((a, b) => b.path.length - a.path.length)[0]
}

/** Whether a file may import one of ours. */
export function mayImport(file: string, target: string, isTypeOnly: boolean): boolean {
  const row = rowOf(file, importTable)
  if (row === undefined) return false
  if (row.may === "everything") return isOpenTo(file, target)
  const allowed = [row.path, ...row.may, ...(isTypeOnly ? (row.types ?? []) : [])]
  return allowed.some((path) => isUnder(target, path))
}

const keyring = "vault/keyring/"

/** Of the keyring a command imports the little that the tables above say. */
function isOpenTo(file: string, target: string): boolean {
  if (!target.startsWith(keyring)) return true
  const own = rowOf(file, keyringOfCommands)?.modules ?? []
  return own.some((name) => target === `${keyring}${name}.ts`)
}
