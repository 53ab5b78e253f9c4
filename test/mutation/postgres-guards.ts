import { guardsOf, type Guard } from "./guard.ts"

const ledger = ["system/postgres-ledger"]
const isolated = [
  "system/postgres-isolated",
  "system/postgres-isolated-time",
  "system/postgres-isolated-told",
]

/** What keeps a signature back until PostgreSQL has its record, and PostgreSQL from making one up. */
export const postgresGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/ledger/postgres/session.ts",
    ["unit/vault/ledger/postgres/session"],
    [
      {
        find: '      case "E":\n      case "N": {',
        replace: '      case "N":\n        break\n      case "E": {',
        why: "a commit counts whose wait for the standby was cancelled",
      },
      {
        find: 'waiting === undefined || status !== "I"',
        replace: "waiting === undefined",
        why: "what was done in a transaction that is still open counts",
      },
      {
        find: "if (kind === 0) return",
        replace: "if (kind >= 0) return",
        why: "it goes on with a server that asks for a password",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/wire.ts",
    ["unit/vault/ledger/postgres/session"],
    [
      {
        find: "length < lengthBytes || length > maxMessageBytes",
        replace: "length < lengthBytes",
        why: "a server may fill the vault's memory",
      },
    ],
  ),
  ...guardsOf("vault/ledger/postgres/turn-keeper.ts", ledger, [
    {
      find: "if (added === undefined) throw overtaken()",
      replace: "",
      why: "what was appended after another's entry is released",
    },
    {
      find: "this.#assertReplicated(added.standbys)",
      replace: "",
      why: "what no standby has is released",
    },
  ]),
  ...guardsOf(
    "vault/ledger/postgres/turn-keeper.ts",
    ["unit/vault/ledger/postgres/turn-keeper"],
    [
      {
        find: "await this.#followRest(turn, follow)",
        replace: "",
        why: "a host that lacks large batches never has its turn",
      },
      {
        find: "if (batch.host === host) throw overtaken()",
        replace: "",
        why: "two daemons have one host's name",
      },
      {
        find: "assertHead(this.#head, turn.head)",
        replace: "",
        why: "a host decides though another's entries are kept from it",
      },
      {
        find: "if (this.#doubt !== undefined) throw this.#doubt",
        replace: "",
        why: "what no standby may have is given on as if it had",
      },
      {
        find: "if (skewMs <= maxSkewMs) return",
        replace: "if (skewMs <= 2 * maxSkewMs) return",
        why: "hosts decide by clocks that are too far apart",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/baton.ts",
    ["unit/vault/ledger/postgres/baton"],
    [
      {
        find: "    await this.#way.settled()\n",
        replace: "",
        why: "a turn is given on while something of it may still come out",
      },
      {
        find: 'if (this.#state === "here" && !this.#isWanted) {',
        replace: 'if (this.#state === "here") {',
        why: "a busy host never lets others have their turn",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/server-sql.ts",
    ["system/postgres-fleet"],
    [
      {
        // Either the row's lock or its update makes for a commit.
        find: "SELECT * INTO last FROM countersign.head FOR UPDATE;",
        replace: "last.holder := '';",
        why: "a host follows what a failover takes away again",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/server-sql.ts",
    ["system/postgres-session"],
    [
      {
        find: " SET client_min_messages = 'error'",
        replace: "",
        why: "a session that ended by itself breaks who would end it, and an operator's act with it",
      },
      {
        find: "wait_event_type = 'Client'",
        replace: "state = 'idle'",
        why: "a host that is cut off amid a batch keeps the turn until its connection is given up",
      },
      {
        find: "AND wait_event_type = 'Client' ",
        replace: "",
        why: "a host loses the turn while PostgreSQL is at work for it",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/fleet-store.ts",
    ["system/postgres-fleet"],
    [
      {
        find: "if (isRepeat) await this.#turns.confirm()",
        replace: "",
        why: "a host that was cut off gives repeats out",
      },
    ],
  ),
  ...guardsOf("vault/ledger/postgres/isolated-store.ts", isolated, [
    {
      find: 'return lane === "cancel" && isFree',
      replace: "return isFree",
      why: "an order is signed that no other host knows of",
    },
    {
      find: 'claims.every(({ mode }) => mode === "observe")',
      replace: "true",
      why: "a limit is spent that others spend too",
    },
    {
      find: "lastNonces.set(signer, Math.max(nonce, lastNonces.get(signer) ?? 0))",
      replace: "",
      why: "a restart gives a nonce out again",
    },
    {
      find: 'if (name === "takeSnapshot") return',
      replace: "if (false) return",
      why: "what is told later is counted twice",
    },
    {
      find: "nowMs < Math.max(reachedMs, lastMs)",
      replace: "nowMs < reachedMs",
      why: "a clock that is set back gives a host more time",
    },
  ]),
  ...guardsOf("vault/ledger/postgres/isolated-file.ts", isolated, [
    {
      find: 'holder?.row.kind !== "request" ||',
      replace: "true ||",
      why: "a key that another host has used meanwhile breaks all hosts",
    },
    {
      find: "return rows.filter((row) => !isRecorded(row))",
      replace: "return rows.filter((row) => !isRecorded(row) || true)",
      why: "a crash while it is told breaks all hosts",
    },
    {
      find: "const counted = { ...others, counted_at: nowMs }",
      replace: "const counted = others",
      why: "a clock that was ahead frees the limits of all hosts",
    },
  ]),
  ...guardsOf(
    "vault/request/sign-request.ts",
    ["unit/vault/status/signing"],
    [
      {
        find: "if (away !== undefined) return err(away)",
        replace: "",
        why: "an isolated host gives an order's signature out again, though it may be frozen by now",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/signers/nonces.ts",
    ["unit/vault/ledger/signers/nonces"],
    [
      {
        find: "return rest <= last ? least : least - rest + nonceCycle + first",
        replace: "return least",
        why: "two hosts give one nonce out",
      },
    ],
  ),
  ...guardsOf("vault/ledger/postgres/tables.ts", ledger, [
    {
      find: "WHERE before < ${maxPageBytes} ORDER",
      replace: "ORDER",
      why: "a copy that lacks large batches is never brought up to PostgreSQL",
    },
    {
      find: "standbys: standbysIn(added, after)",
      replace: "standbys: standbysIn(added)",
      why: "what no standby has is released where the setting was emptied meanwhile",
    },
  ]),
  ...guardsOf("vault/ledger/postgres/catch-up.ts", ledger, [
    {
      find: "if (copy.head().seq === 0 && ledger.head.seq > 0) throw empty()",
      replace: "",
      why: "a host that has lost its copy believes any old ledger",
    },
    {
      find: "await assertSameWay(copy.head(), session)",
      replace: "",
      why: "it goes on with a PostgreSQL that lacks what this host has signed",
    },
  ]),
  ...guardsOf(
    "vault/ledger/postgres/batch.ts",
    ["unit/vault/ledger/postgres/read-batch"],
    [
      {
        find: "if (flaw !== undefined) throw notFollowed(flaw, seq)",
        replace: "void flaw",
        why: "entries that PostgreSQL made up are taken",
      },
      {
        find: "if (publicKey === undefined) throw notFollowed(`host ${quoted(batch.host)} isn't known here`, seq)",
        replace: "if (publicKey === undefined) return",
        why: "a host that nobody knows has entries",
      },
      {
        find: "const row = readRow(text)",
        replace: "const row = JSON.parse(text) as JournalRow",
        why: "a row of another host is believed in its shape",
      },
      {
        find: "if (latest <= latestMs) return row",
        replace: "if (latest <= Infinity) return row",
        why: "another host's nonce of 2^53-1 is the signer's last",
      },
      {
        find: "return [atMs, row.counted_at ?? 0, row.nonce]",
        replace: "return [atMs, row.counted_at ?? 0]",
        why: "another host's nonces go as far ahead as it likes",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/read-row.ts",
    ["unit/vault/ledger/records/read-row"],
    [
      {
        find: "if (kind.success) return row as JournalRow",
        replace: "if (read.success) return row as JournalRow",
        why: "a row of another host is believed in its shape but for its kind",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/fields.ts",
    ["unit/vault/ledger/records/read-row"],
    [
      {
        find: "const whole = z.int().nonnegative()",
        replace: "const whole = z.number().nonnegative()",
        why: "a nonce that isn't exact is another host's",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/signers/nonces.ts",
    ["unit/vault/ledger/signers/nonces"],
    [
      {
        find: "if (nonce - steady.now() > mostInTurnMs) steady.at(nonce)",
        replace: "",
        why: "a host whose clock is ahead keeps the others' signers waiting",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/server-sql.ts",
    ["system/postgres-believed"],
    [
      {
        find: "GRANT UPDATE (holder, quiet_at) ON countersign.head",
        replace: "GRANT UPDATE ON countersign.head",
        why: "whoever has the hosts' certificate moves the head",
      },
      {
        find: "REVOKE ALL ON ALL TABLES IN SCHEMA countersign FROM PUBLIC, ${role};",
        replace: "",
        why: "hosts go on inserting in tables of the version before",
      },
      {
        find: "IF new_seq <> known + 1 +",
        replace: "IF false AND new_seq <> known + 1 +",
        why: "a batch says that it has more entries than it has",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/batch.ts",
    ["unit/vault/ledger/postgres/batch"],
    [
      {
        find: 'const lines = ["countersign-batch 1", ledger, host,',
        replace: 'const lines = ["countersign-batch 1", host,',
        why: "a batch of another ledger is taken",
      },
    ],
  ),
  ...guardsOf("vault/ledger/sqlite/sqlite-worker.ts", ledger, [
    {
      find: "return isReplicated && rows.length > 0",
      replace: "return !isReplicated && rows.length > 0",
      why: "a record is committed and released before PostgreSQL has it",
    },
  ]),
  ...guardsOf("vault/ledger/sqlite/commit-queue.ts", ledger, [
    {
      find: "await this.replica?.append(appended)",
      replace: "void this.replica?.append(appended)",
      why: "a record is released before PostgreSQL has it",
    },
  ]),
  ...guardsOf(
    "vault/ledger/sqlite/commit-queue.ts",
    ["unit/vault/ledger/sqlite/commit-queue"],
    [
      {
        find: "setImmediate(() => this.#release())",
        replace: "",
        why: "the copy commits the last entry only once another comes",
      },
      {
        find: "if (this.#isHeld) this.#tell",
        replace: "this.#tell",
        why: "the copy commits a batch that PostgreSQL doesn't have yet",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/turns.ts",
    ["system/postgres-fleet-ledgers"],
    [
      {
        find: " ORDER BY client",
        replace: "",
        why: "two hosts that tell whom they heard wait for each other, and both lose their sessions",
      },
    ],
  ),
  ...guardsOf(
    "vault/stops/heartbeat.ts",
    ["unit/vault/watch/heartbeats"],
    [
      {
        find: "await others.tellHeard(told)) hear(client)",
        replace: "await others.tellHeard(told)) this.hear(client)",
        why: "hosts go on telling each other of a bot that is gone",
      },
      {
        find: "Math.max(atMs, heardMs.get(client) ?? openedMs)",
        replace: "heardMs.get(client) ?? openedMs",
        why: "a client that another host heard first counts as silent since this one started",
      },
    ],
  ),
  ...guardsOf(
    "vault/stops/freeze-methods.ts",
    ["system/postgres-fleet-ledgers"],
    [
      {
        find: "await acts.ledger.decide([], () => () => undefined)",
        replace: "",
        why: "what another host froze a moment ago can't be thawed",
      },
    ],
  ),
]
