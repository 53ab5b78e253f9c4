import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Fault } from "../std/fault.ts"
import { pathsOf, type Installation } from "../vault/config/installation.ts"
import type { PostgresLedger } from "../vault/config/ledger-config.ts"
import { readLedgerKey, loadLedgerKey } from "../vault/ledger/audit/ledger-key.ts"
import { openDatabase } from "../vault/ledger/sqlite/database.ts"
import type { LedgerKey } from "../vault/ledger/store/audit-queries.ts"
import { command, option, parsed, required } from "./cli/command.ts"
import { wholeUpTo } from "./cli/values.ts"
import { outOption, withNewFile } from "./cli/new-file.ts"
import { tell } from "./cli/print.ts"
import { type Terminal, agreeToShown } from "./cli/terminal.ts"
import {
  adminCommand,
  installationOf,
  installationOptions,
  type InstallationOptions,
  yesOption,
} from "./installation/installation-command.ts"
import { becomeOwner } from "./installation/usual-installation.ts"
import { loadConfig } from "./installation/admin.ts"
import { grantsSql, leaveOutSql, moveSql, putBackSql } from "./ledger-sql.ts"

/** Pieces of SQL about the ledger in the file, by what countersign.yaml says of PostgreSQL. @throws {Fault} */
type MakeSql = (
  database: ReturnType<typeof openDatabase>,
  postgres: PostgresLedger,
  key: LedgerKey,
) => Iterable<string>

/** It holds every order. */
const sqlOutOption = { out: outOption("the SQL") }

/** Prints SQL about the ledger of a stopped daemon, or writes it into the file `out`. @throws {Fault} */
async function printSql(
  { out, ...options }: { readonly out: string | undefined } & InstallationOptions,
  make: MakeSql,
  { stdout }: Terminal,
): Promise<void> {
  const installation = installationOf(options)
  if (out === undefined) {
    await writeSql(installation, make, (pieces) => pipeline(pieces, stdout, { end: false }))
    return
  }
  await withNewFile(out, (file) =>
    writeSql(installation, make, (pieces) =>
      pipeline(pieces, file.createWriteStream({ flush: true })),
    ),
  )
}

async function writeSql(
  installation: Installation,
  make: MakeSql,
  write: (pieces: Readable) => Promise<void>,
): Promise<void> {
  becomeOwner(installation.stateDir)
  const postgres = await loadPostgres(installation)
  const { ledgerFile, ledgerKeyFile } = pathsOf(installation)
  const key = await readLedgerKey(ledgerKeyFile)
  if (key === undefined) {
    throw new Fault("ledger_unusable", `${ledgerKeyFile} is gone; put it back from a back-up.`)
  }
  const database = openDatabase(ledgerFile)
  try {
    await write(Readable.from(make(database, postgres, key)))
  } finally {
    database.close()
  }
}

/** What countersign.yaml says of PostgreSQL. @throws {Fault} `usage` where it says nothing. */
async function loadPostgres(installation: Installation): Promise<PostgresLedger> {
  const { postgres } = await loadConfig(installation)
  if (postgres !== undefined) return postgres
  throw new Fault(
    "usage",
    "Say in countersign.yaml where the ledger is to be: ledger: {engine: postgres, host: a}.",
  )
}

/** `--after` */
function entryOption(description: string) {
  const after = required(option("--after <entry>", description))
  return parsed(after, wholeUpTo(999_999_999_999_999), "an entry's number, like 1200")
}

/** `countersign ledger move` */
export const ledgerMove = command({
  description: "print the SQL that moves the ledger of a stopped daemon to PostgreSQL",
  notes:
    "For psql, in one transaction, as a user who may make roles and schemas. Whose ledger it is, countersign.yaml says (ledger: engine: postgres). What is printed holds every order, and no key.",
  examples: ["countersign ledger move --out ledger.sql"],
  options: { ...installationOptions, ...sqlOutOption },
  run: async (options, terminal) => {
    await printSql(options, moveSql, terminal)
    return 0
  },
})

/** `countersign ledger grants` */
export const ledgerGrants = command({
  description: "print the SQL that gives the hosts' role in PostgreSQL what it needs, and no more",
  notes:
    "For psql, in one transaction, as the tables' owner, once all hosts have this version: an earlier one can't append any more. Where doctor finds that the role may do more.",
  examples: ["countersign ledger grants > grants.sql"],
  options: installationOptions,
  run: async (options, { stdout }) => {
    const installation = installationOf(options)
    becomeOwner(installation.stateDir)
    const { role } = await loadPostgres(installation)
    stdout.write(grantsSql(role))
    return 0
  },
})

/** `countersign ledger put-back` */
export const ledgerPutBack = command({
  description: "print the SQL that gives PostgreSQL back the entries that it lost",
  notes:
    "After a restore to an earlier time, or while the ledger was on this host alone. For psql, in one transaction, as the tables' owner, with every daemon stopped. It changes nothing where PostgreSQL goes on otherwise than this host's copy.",
  examples: ["countersign ledger put-back --after 1200 --out entries.sql"],
  options: {
    ...installationOptions,
    ...sqlOutOption,
    after: entryOption("PostgreSQL's last entry, which a start names"),
    ledger: parsed(
      option("--ledger <name>", "the ledger's name in PostgreSQL, where a start names that"),
      (text) => (/^[0-9a-f]{32}$/.test(text) ? text : undefined),
      "a ledger's name, 32 hex digits",
    ),
  },
  run: async ({ after, ledger: named, ...options }, terminal) => {
    await printSql(
      options,
      (database, { host }, key) => putBackSql(database, { host, key, afterSeq: after, named }),
      terminal,
    )
    return 0
  },
})

/** `countersign ledger leave-out` */
export const ledgerLeaveOut = command({
  description: "print the SQL that goes on without a host's entries which no other can follow",
  notes:
    "For psql, in one transaction, as the tables' owner, with every daemon stopped, from the host that has most. What was signed by the host that is left out counts nowhere any more: take its certificate away first, and make it anew. The entries are kept in countersign.left_out.",
  examples: ["countersign ledger leave-out --after 1200 --out leave-out.sql"],
  options: {
    ...installationOptions,
    ...sqlOutOption,
    after: entryOption("the last entry before, which a start names"),
  },
  run: async ({ after, ...options }, terminal) => {
    await printSql(options, (database) => [leaveOutSql(database, after)], terminal)
    return 0
  },
})

/** `countersign ledger accept-restore` */
export const ledgerAcceptRestore = adminCommand({
  changes: "installation",
  description:
    "sign again with a restored ledger, with nonces above all that were used since its backup",
  notes: "At a terminal it shows the signers that wait, and asks.",
  examples: ["countersign ledger accept-restore"],
  options: yesOption,
  call: async (admin, { yes }, terminal) => {
    const { signers } = await admin.call("lookAtRestore", {})
    for (const { signer, nonce } of signers) {
      tell(terminal, `${signer} would go on above nonce ${nonce}.`)
    }
    await agreeToShown(terminal, { yes, question: "Sign again with this ledger?" })
    return admin.call("acceptRestore", { signers: [...signers] })
  },
  print: ({ signers }) => [
    ...signers.map(({ signer, nonce }) => `${signer} goes on above nonce ${nonce}.`),
    "What was recorded after the backup is lost: limits may count less than was used, and changes of clients, keys and freezes since then are undone. Look at countersign status.",
  ],
})

/** `countersign ledger host-key` */
export const ledgerHostKey = command({
  description: "print the public key by which this host seals what it adds to a shared ledger",
  notes:
    "For ledger.fleet.hosts in countersign.yaml, the same on all hosts. The key itself is ledger.key in the state directory; it is made if it isn't there.",
  examples: ["countersign ledger host-key"],
  options: installationOptions,
  run: async (options, { stdout }) => {
    stdout.write(`${await publicKeyOf(installationOf(options))}\n`)
    return 0
  },
})

async function publicKeyOf(installation: Installation): Promise<string> {
  becomeOwner(installation.stateDir)
  const key = await loadLedgerKey(pathsOf(installation).ledgerKeyFile, undefined)
  if (key.ok) return key.value.publicKey
  throw new Fault("ledger_unusable", `${key.error}.`)
}
