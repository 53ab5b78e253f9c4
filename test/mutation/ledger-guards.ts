import { guardsOf, type Guard } from "./guard.ts"

const ledger = "vault/ledger"
const unit = `unit/${ledger}`

/** What the ledger takes in one step. */
export const ledgerGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/ledger/records/freeze.ts",
    ["unit/vault/stops/freeze-methods"],
    [
      {
        find: "freeze.cancels && earlier?.cancels !== false",
        replace: "freeze.cancels",
        why: "a milder freeze opens cancels that another stopped",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/standing.ts",
    ["unit/vault/operator/limit-methods"],
    [
      {
        find: "limit_raise_ended: ({ limit }) => raiseEnds(limit)",
        replace: "limit_raise_ended: nothing",
        why: "a raise can't be taken back",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/standing.ts",
    ["unit/vault/ledger/records/settings"],
    [
      {
        find: '[limit, limit.slice(limit.indexOf("/") + 1)]',
        replace: "[limit]",
        why: "a raise of an older version, which named no policy, stands beside the one that took its place",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/standing.ts",
    ["unit/vault/active/active-set"],
    [
      {
        find: 'hasEnded(key) ? {} : { approval: "approved"',
        replace: 'false ? {} : { approval: "approved"',
        why: "an approval brings a revoked key back",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/hold.ts",
    ["unit/vault/grants"],
    [
      {
        find: "if (compareDecimals(quantity, left) > 0) continue",
        replace: "if (compareDecimals(quantity, left) > 1) continue",
        why: "a grant bounds no quantity",
      },
      {
        find: "times_left: times_left - 1",
        replace: "times_left: times_left",
        why: "a grant is used as often as one likes",
      },
      {
        find: 'if (grant.times_left === 0) return "times"',
        replace: "",
        why: "a grant that was used up goes on",
      },
      {
        find: 'nowMs >= grant.until ? "time"',
        replace: 'nowMs > grant.until ? "time"',
        why: "a grant outlives its time",
      },
      {
        find: "!isDeepStrictEqual(boundTo(grant), binding)",
        replace: "(false as boolean)",
        why: "a grant is for any request",
      },
      {
        find: "if (grant.ended !== undefined) return grant.ended",
        replace: "",
        why: "a grant that was ended goes on",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/standing.ts",
    ["unit/vault/grants"],
    [
      {
        find: "set_activated: ({ hash }, { policy_hash }) => hash !== policy_hash",
        replace: "set_activated: () => false",
        why: "a grant outlives the files that it was given under",
      },
      {
        find: "client_token_set: ({ name }, { client }) => name === client,\n  client_revoked",
        replace: "client_token_set: () => false,\n  client_revoked",
        why: "who has the new token has the old one's grants",
      },
      {
        find: 'scope === "all" || name === grant[scope]',
        replace: "name === scope && grant.ended !== undefined",
        why: "a grant outlives a freeze",
      },
      {
        find: ".slice(0, -maxEndedGrants)",
        replace: ".slice(0, 0)",
        why: "grants that ended are kept for ever",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/sqlite/standing-table.ts",
    ["properties/ledger"],
    [
      {
        find: "else end.run(part, name)",
        replace: "else void end",
        why: "what was ended is back after a restart",
      },
      {
        find: "standing = withChanges(standing, changes)",
        replace: "void withChanges",
        why: "a second act on a key undoes the first one in the table",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/decide.ts`,
    [`${unit}/reserve`],
    [
      {
        find: "  await Promise.all(taken.durable)\n",
        replace: "",
        why: "a signature leaves before its record is durable",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/sqlite/journal.ts",
    ["unit/vault/ledger/sqlite/trail"],
    [
      {
        find: "return [idempotency, release, grant].every((each) => each === undefined)",
        replace: "return true",
        why: "nothing refuses a second request with a key, a release or a grant",
      },
      {
        find: "if (nonce <= (last.get(signer) ?? -1))",
        replace: "if (nonce < (last.get(signer) ?? -1))",
        why: "a nonce is recorded twice",
      },
    ],
  ),
  ...guardsOf(
    "vault/budgets/budgets.ts",
    ["unit/vault/budgets/budgets"],
    [
      {
        find: "if (reserveAtMs <= nowMs) return undefined",
        replace: "",
        why: "a spent address stops its cancels",
      },
    ],
  ),
  ...guardsOf(
    "vault/budgets/budget.ts",
    ["unit/vault/budgets/budget-reserve", "properties/cancel-reserve"],
    [
      {
        find: "(1 + turns.before(client, nowMs)) * reserveEveryMs",
        replace: "reserveEveryMs",
        why: "who asks most has each cancel of a spent address",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/price-methods.ts",
    ["unit/vault/operator/price-poll"],
    [
      {
        find: "  if (short !== undefined) {\n",
        replace: "  if (false as boolean) {\n",
        why: "the price poll takes what is kept for cancels",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/spending.ts",
    ["unit/vault/operator/price-poll"],
    [
      {
        find: "    keptFor.set(pollName, Math.min(polled, left))\n",
        replace: "",
        why: "bots that use up the IP budget leave no prices",
      },
    ],
  ),
  ...guardsOf(
    "vault/budgets/budget.ts",
    ["unit/vault/budgets/budget-reserve", "properties/cancel-reserve"],
    [
      {
        find: "lastMs(other) < lastMs(client)",
        replace: "lastMs(other) > lastMs(client)",
        why: "who had the reserve last has it next",
      },
      {
        find: "nowMs < refusedMs + waitsForMs && ",
        replace: "",
        why: "who asks no more holds others up for ever",
      },
      {
        find: "      refusedMsBy.delete(client)\n",
        replace: "",
        why: "who has had its turn still waits",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/meters/meters.ts",
    ["unit/vault/ledger/meters/meters"],
    [
      {
        find: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) <= 0",
        replace: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) < 0",
        why: "a limit excludes its maximum",
      },
      {
        find: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) <= 0",
        replace: "fits: compareDecimals(used, claim.max) <= 0",
        why: "what is asked isn't added",
      },
      {
        find: "if (spent === undefined) count(claims, nowMs)",
        replace: "count(claims, nowMs)",
        why: "what is refused is counted",
      },
      {
        find: '!fits && claim.mode === "enforce"',
        replace: '!fits && claim.mode === "observe"',
        why: "a limit that is enforced only observes",
      },
      {
        find: "return Math.max(highWaterMs, nowMs)",
        replace: "return nowMs",
        why: "a clock that goes back frees room",
      },
      {
        find: 'if (window.kind === "rolling") return atMs + window.lengthMs',
        replace: 'if (window.kind === "rolling") return atMs + window.lengthMs - 1',
        why: "a window is a moment short",
      },
      {
        find: 'if (window.kind === "rolling") return atMs + window.lengthMs',
        replace: 'if (window.kind === "rolling") return atMs + window.lengthMs + 1',
        why: "a window is a moment long",
      },
      {
        find: "if (compareDecimals(ask.asked, claim.max) > 0) return undefined",
        replace: "if (compareDecimals(ask.asked, claim.max) >= 0) return undefined",
        why: "all at once never frees",
      },
      {
        find: "if (compareDecimals(earlier, max) >= 0) return",
        replace: "",
        why: "a release gives back more than the maximum",
      },
      {
        find: "minDecimal(amount, subtractDecimals(max, earlier))",
        replace: "amount",
        why: "a release gives back more than is left",
      },
      {
        find: "return lastMs > atMs ? lastMs : atMs + longestDayMs",
        replace: "return atMs",
        why: "a clock set back over midnight frees the day",
      },
    ],
  ),
  ...guardsOf(
    "vault/ledger/records/request-row.ts",
    ["unit/vault/ledger/meters/meters"],
    [
      {
        find: "return `${release} ${span} ${meter}`",
        replace: "return `${span} ${meter}`",
        why: "a release frees room in a limit that has none",
      },
      {
        find: "maxDecimal(amount ?? first.amount, ...amounts)",
        replace: "minDecimal(amount ?? first.amount, ...amounts)",
        why: "the least of two limits is counted",
      },
      {
        find: "addDecimals(sum, amount), first.amount",
        replace: "maxDecimal(sum, amount), first.amount",
        why: "claims of one limit aren't added",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/decide.ts`,
    [
      `${unit}/reserve`,
      "unit/vault/ledger/meters/limits",
      "unit/vault/ledger/records/holds",
      "unit/vault/ledger/records/idempotency",
      "unit/vault/ledger/signers/signer-marks",
      "unit/vault/request/budgets",
      "unit/vault/request/sign-batch",
    ],
    [
      {
        find: '  if (ask.lane === "open") assertClockSafe(from)\n',
        replace: "",
        why: "orders are signed at an unsafe time",
      },
      {
        find: 'if (ask.lane === "open") assertClockSafe(from)',
        replace: "assertClockSafe(from)",
        why: "a clock that leapt stops a cancel",
      },
      {
        find: "if (spent !== undefined) return limitExhausted(spent, nowMs)",
        replace: "",
        why: "a spent limit refuses nothing",
      },
      {
        find: "ask.guarded?.refusal() ?? refuseRest(ask, from)",
        replace: "refuseRest(ask, from)",
        why: "a guard refuses nothing",
      },
      {
        find: "ask.guarded?.took(record, expires_after)",
        replace: "",
        why: "what was signed doesn't count beside a reading",
      },
      {
        find: "from.state.holds.mayUse(release.hold, entry, nowMs)",
        replace: "(false as boolean)",
        why: "any release will do",
      },
      {
        find: 'if (next.kind === "too_fast") return { kind: "refused", refusal: tooFast(next.retryAfterMs) }',
        replace: 'if (next.kind === "too_fast") throw new Error("slip")',
        why: "too fast a signer breaks",
      },
      {
        find: "Math.max(ask.nowMs, nonce) + ask.ttlMs",
        replace: "ask.nowMs + ask.ttlMs",
        why: "a nonce ahead of the clock shortens its validity",
      },
      {
        find: "budgets.ask(spending)",
        replace: "budgets.shortage(spending)",
        why: "who is refused a cancel has no turn",
      },
      {
        find: "if (ask.spending !== undefined) budgets.count(ask.spending)",
        replace: "",
        why: "what is signed takes nothing of a budget",
      },
      {
        find: "  waitFor(taken, from.marks.cover(ask.signer, nonce))\n",
        replace: "",
        why: "a signature doesn't wait for its signer's mark",
      },
      {
        find: "taken.keyUses.get(nameOf(key)) ?? keyUse",
        replace: "keyUse",
        why: "a batch signs the same key twice",
      },
      {
        find: "keys.length === 0 ? work() : keyTurns.run(keys, work)",
        replace: "keys.length < 99 ? work() : keyTurns.run(keys, work)",
        why: "two with the same key are looked up at once",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/meters/limits.ts`,
    ["properties/recount"],
    [
      {
        find: "      followNow(state, event)\n      state",
        replace: "      state",
        why: "a refusal gives no room back before a restart",
      },
      {
        find: "      if (meanwhileThen !== state.meanwhile) return\n",
        replace: "",
        why: "room is given back twice where limits are counted anew meanwhile",
      },
      {
        find: "unheard: [...expected]",
        replace: "unheard: []",
        why: "a start forgets room that a snapshot expected back",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/state.ts`,
    [
      `${unit}/reserve`,
      "unit/vault/ledger/meters/limits",
      "unit/vault/ledger/records/holds",
      "unit/vault/ledger/records/idempotency",
      "unit/vault/request/sign-batch",
    ],
    [
      { find: "      limits.count(claims, row)\n", replace: "", why: "nothing is counted" },
      {
        find: "if (row.release !== undefined) holds.use(row.release)",
        replace: "",
        why: "a release is good twice",
      },
      {
        find: "    nonces.used(row)\n",
        replace: "",
        why: "a nonce is forgotten",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/signers/nonces.ts`,
    [
      `${unit}/signers/nonces`,
      `${unit}/reserve`,
      `${unit}/open-ledger`,
      "threats/nonce-repeated-by-concurrency",
    ],
    [
      {
        find: "Math.max(nowMs, earlier + 1)",
        replace: "Math.max(nowMs, earlier)",
        why: "a nonce is used twice",
      },
      {
        find: 'if (leadMs <= maxNonceLeadMs[lane]) return { kind: "next", nonce }',
        replace: 'if (leadMs < maxNonceLeadMs[lane]) return { kind: "next", nonce }',
        why: "the last millisecond of the lead is refused",
      },
      {
        find: 'if (leadMs <= maxNonceLeadMs[lane]) return { kind: "next", nonce }',
        replace: 'if (true as boolean) return { kind: "next", nonce }',
        why: "nonces run ahead without end",
      },
      {
        find: 'if (leadMs <= maxNonceLeadMs[lane]) return { kind: "next", nonce }',
        replace: 'if (leadMs <= maxNonceLeadMs.open) return { kind: "next", nonce }',
        why: "a flood of orders stops the cancels of its signer",
      },
      {
        find: "ahead.totalOf(client) + turns.before(client, timeMs)",
        replace: "turns.before(client, timeMs)",
        why: "one client takes all nonces of a signer, and its neighbours' cancels wait",
      },
      {
        find: "ahead.totalOf(client) + turns.before(client, timeMs)",
        replace: "ahead.totalOf(client)",
        why: "who asks most has each nonce that becomes free",
      },
      {
        find: "(1 + kept) * everyMs",
        replace: "1 + kept",
        why: "one client takes all nonces that an isolated host has",
      },
      {
        find: "  for (const [signer, nonce] of lastNonces) raise(signer, nonce)\n",
        replace: "",
        why: "a restart forgets nonces",
      },
    ],
  ),
  ...guardsOf(
    "vault/process/clock.ts",
    ["unit/vault/process/clock", `${unit}/reserve`],
    [
      {
        find: "return ms > base.leadMs ? doubtOf(ms, base.leadMs) : undefined",
        replace: "return ms >= base.leadMs ? doubtOf(ms, base.leadMs) : undefined",
        why: "the clock's last moment is refused",
      },
      {
        find: "return ms > base.leadMs ? doubtOf(ms, base.leadMs) : undefined",
        replace: "return undefined",
        why: "a clock that leapt is trusted",
      },
      {
        find: "setTo(Math.max(wallMs, timeMs + (clock.monotonicMs() - seenMs) * waitingPace))",
        replace: "setTo(wallMs)",
        why: "what has ended comes back when the clock is set back",
      },
    ],
  ),
  ...guardsOf(
    `${ledger}/hold-book.ts`,
    ["unit/vault/ledger/records/holds"],
    [
      {
        find: 'asOf(hold, nowMs).state !== "released") return false',
        replace: 'asOf(hold, nowMs).state === "used") return false',
        why: "a hold is used before its release",
      },
      {
        find: "isOpen && nowMs >= hold.expires_at",
        replace: "isOpen && nowMs > hold.expires_at",
        why: "a hold lasts a moment longer",
      },
      {
        find: "return isDeepStrictEqual(bindingOf(hold), bindingOf(binding))",
        replace: "return true",
        why: "a release is good for another request",
      },
      {
        find: "pendingIn(book, nowMs), maxPendingHolds)",
        replace: "pendingIn(book, nowMs), maxPendingHolds + 2)",
        why: "one hold too many waits",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/spending.ts",
    ["unit/vault/request/budgets"],
    [
      {
        find: "part(ipPart, budgetMax.ip)",
        replace: "budgetMax.ip",
        why: "each of several hosts spends the whole IP budget",
      },
    ],
  ),
]
