import { guardsOf, type Guard } from "./guard.ts"

/** What keeps the relay from connecting the vault with somebody else than PostgreSQL's servers. */
export const relayGuards: readonly Guard[] = [
  ...guardsOf(
    "relay/keep-server.ts",
    ["unit/relay/connecting", "unit/relay/carrying"],
    [
      {
        find: "if (answer.length > 1) return lacks.bytesBeforeTls",
        replace: "",
        why: "what somebody put before TLS is taken for what TLS protects",
      },
      {
        find: "rejectUnauthorized: true",
        replace: "rejectUnauthorized: false",
        why: "any certificate will do",
      },
      {
        find: "{ socket, host, secureContext,",
        replace: '{ socket, host: "localhost", secureContext,',
        why: "a certificate for another address will do",
      },
      {
        find: 'return word === "S" ? undefined : lacks.noTls',
        replace: "return undefined",
        why: "a server that refuses TLS is spoken to all the same",
      },
      {
        find: 'ALPNProtocols: ["postgresql"],',
        replace: "",
        why: "a server of another protocol with the same certificate will do",
      },
    ],
  ),
  ...guardsOf(
    "relay/load-relay.ts",
    ["unit/relay/connecting", "unit/relay/load-relay"],
    [
      {
        find: ', minVersion: "TLSv1.3"',
        replace: "",
        why: "a server with an older TLS will do",
      },
      {
        find: " || !blocks.every(isCertificate)",
        replace: "",
        why: "a broken certificate of an authority is passed over",
      },
    ],
  ),
  ...guardsOf(
    "relay/keep-server.ts",
    ["unit/relay/carrying"],
    [
      {
        find: "after(lingerMs,",
        replace: "after(2_000_000,",
        why: "a connection whose one side has ended is held for as long as the other likes",
      },
    ],
  ),
  ...guardsOf(
    "relay/run-relay.ts",
    ["unit/relay/connecting"],
    [
      {
        find: "return !isSame",
        replace: "return true",
        why: "the log has a line for each attempt",
      },
    ],
  ),
  ...guardsOf(
    "relay/keep-server.ts",
    ["unit/relay/connecting"],
    [
      {
        find: "if (outcome.hasCarried) ask.retry.give()",
        replace: "",
        why: "a standby that was promoted is found only by the next attempt in turn",
      },
    ],
  ),
]
