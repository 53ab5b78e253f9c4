import { guardsOf, type Guard } from "./guard.ts"

const inTurn = "return vault.ledger.decide([], (turn) => {"

/** What keeps a host from acting on what others have changed, or what it can't know, by then. */
export const fleetGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/agents/operator-request.ts",
    ["unit/vault/agents/agent-approval", "unit/vault/stops/panic"],
    [
      {
        find: `${inTurn}\n    const set = vault.active()`,
        replace: `const set = vault.active()\n  ${inTurn}`,
        why: "an agent is approved, and a panic signs by a key, that another host has removed meanwhile",
      },
    ],
  ),
  ...guardsOf(
    "vault/stops/heartbeat.ts",
    ["unit/vault/watch/heartbeats"],
    [
      {
        find: "(toldMs ?? monotonicMs())",
        replace: "monotonicMs()",
        why: "a bot is frozen that other hosts hear, where they can't say so for a while",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/server-sql.ts",
    ["system/postgres-session"],
    [
      {
        find: "PERFORM set_config('lock_timeout', '0', true);",
        replace: "",
        why: "a host ends where another's commit waits for its standby",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/postgres/open-store.ts",
    ["system/postgres-isolated-time"],
    [
      {
        find: "nowMs + Math.floor(passedSince(began))",
        replace: "nowMs + 0 * passedSince(began)",
        why: "a host is isolated for longer than it may be",
      },
    ],
  ),
]
