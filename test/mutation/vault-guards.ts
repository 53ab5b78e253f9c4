import { guardsOf, type Guard } from "./guard.ts"

const heldTests = [
  "unit/vault/request/worst-case-text",
  "unit/policies/treasury",
  "unit/vault/holds",
]

/** What the vault asks besides policy. */
export const vaultGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/operator/files-in-force.ts",
    ["unit/vault/operator/files-accepted"],
    [
      {
        find: "if (files.policyHash === hash) return",
        replace: 'if (files.policyHash !== "") return',
        why: "files come into force that nobody looked at",
      },
    ],
  ),
  ...guardsOf(
    "vault/config/kept-set.ts",
    ["unit/vault/config/files-to-start"],
    [
      {
        find: 'starter === "person" && ',
        replace: "",
        why: "a supervisor's restart puts files in force that nobody loaded",
      },
      {
        find: "kept?.isRolledBack !== true && ",
        replace: "",
        why: "a start ends a rollback",
      },
      {
        find: "(await wasStopped(installation))",
        replace: "true",
        why: "a crash puts files in force that nobody loaded",
      },
    ],
  ),
  ...guardsOf(
    "vault/config/kept-set.ts",
    ["unit/vault/config/files-to-start"],
    [
      {
        find: "text?.trim() === stopText()",
        replace: "text !== undefined",
        why: "a machine that starts by itself puts files in force that nobody loaded",
      },
      {
        find: "hashTexts(files) !== policyHash",
        replace: "policyHash === undefined",
        why: "files that were changed where they are kept are in force",
      },
    ],
  ),
  ...guardsOf(
    "vault/keyring/keyring.ts",
    ["threats/secret-from-faulty-signature"],
    [
      {
        find: "if (signer !== undefined && Buffer.compare(signer, publicKey) === 0) return",
        replace: "if (signer !== undefined) return",
        why: "a signature that came out wrong is released",
      },
      {
        find: "Buffer.compare(signer, publicKey) === 0",
        replace: "signer.every((byte, index) => byte === publicKey[index])",
        why: "a part of a key counts as the key",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/price-methods.ts",
    ["threats/price-walked-by-a-feed"],
    [
      {
        find: "compareDecimals(shown, value) === 0) return",
        replace: "true) return",
        why: "a price is confirmed that nobody was shown",
      },
    ],
  ),
  ...guardsOf(
    "vault/stops/freeze-methods.ts",
    ["unit/vault/stops/freeze-methods"],
    [
      {
        find: "isDeepStrictEqual(now, each)",
        replace: "isSameScope(now as FreezeScope, each as FreezeScope)",
        why: "a thaw ends a freeze that took the shown one's place",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/hold-methods.ts",
    ["unit/commands/console/vault-answers"],
    [
      {
        find: "policy_hash !== holds.active().policyHash",
        replace: "false",
        why: "a request is released whose words have changed since",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/safety-methods.ts",
    ["unit/vault/operator/safety-methods"],
    [
      {
        find: "Math.abs(offsetMs - shownMs) > maxSlewMs",
        replace: "false",
        why: "a clock is accepted that was set since it was shown",
      },
      {
        find: "!isDeepStrictEqual(shown, signers)",
        replace: "false",
        why: "other signers go on than were shown",
      },
    ],
  ),
  ...guardsOf(
    "words/held-words.ts",
    ["unit/words/held-words"],
    [
      {
        find: ", `in all ${groupsOf(hold, orders)}`",
        replace: "",
        why: "an order of a batch stands in no words of its release",
      },
      {
        find: "if (groups.length > 0)",
        replace: 'if (groups.join() === "slip")',
        why: "the words of a release say of no symbol what it can cost",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/judge-request.ts",
    ["unit/vault/request/worst-case-text"],
    [
      {
        find: "sums.set(quote, addDecimals(sums.get(quote) ?? zero, cost))",
        replace: 'sums.set("USD", addDecimals(sums.get("USD") ?? zero, cost))',
        why: "amounts of two currencies are added",
      },
      {
        find: "({ side }) => side",
        replace: "({ quote }) => quote ?? String()",
        why: "an order counts as one of another symbol or side",
      },
    ],
  ),
  ...guardsOf(
    "vault/keyring/curve.ts",
    ["unit/vault/keyring/curve"],
    [
      {
        find: " && isLowS(compact)",
        replace: "",
        why: "a request has a second signature, with a high s",
      },
    ],
  ),
  ...guardsOf(
    "vault/keyring/keyring.ts",
    ["unit/vault/keyring/proven-pair"],
    [
      {
        find: "Buffer.compare(derived, publicKey) === 0",
        replace: "derived.length > 0",
        why: "a key that isn't the one that was kept is loaded",
      },
      {
        find: "addressOfPublicKey(derived) === address",
        replace: "derived.length > 0",
        why: "a key of an older version, of another address, is loaded",
      },
    ],
  ),
  ...guardsOf(
    "vault/keyring/curve.ts",
    ["unit/vault/keyring/pick-curve"],
    [
      {
        find: "return { ...nobleCurve, warning }",
        replace: "return { ...nobleCurve, warning: undefined }",
        why: "JavaScript signs without a word",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/admit-read.ts",
    ["unit/vault/request/admit-read"],
    [
      {
        find: "if (!mayRead(set.policies, { client: client.name, key }, path)) return err(readNotAllowed(path))",
        replace: "",
        why: "every client reads everything",
      },
      {
        find: "named !== undefined && key === undefined",
        replace: "false as boolean",
        why: "a client reads as another's key",
      },
      {
        find: "budgets.count(spending)",
        replace: "",
        why: "reads use up what nobody has counted",
      },
      {
        find: 'lane: "open"',
        replace: 'lane: "reduce"',
        why: "reads take what is kept for cancels",
      },
    ],
  ),
  ...guardsOf(
    "venue/json.ts",
    ["unit/vault/request/split-body"],
    [
      {
        find: '.normalize("NFKC")\n    .toLowerCase()',
        replace: '.normalize("NFKC")',
        why: "Nonce is signed beside nonce",
      },
      { find: '.normalize("NFKC")', replace: "", why: "a long s passes for another letter" },
    ],
  ),
  ...guardsOf(
    "vault/request/earlier-check.ts",
    ["unit/vault/request/require-check"],
    [
      {
        find: "row?.client !== asked.client",
        replace: "row === undefined",
        why: "another client's check is signed by",
      },
      {
        find: "if (differs.length > 0)",
        replace: "if (differs.length > 4)",
        why: "something else is signed than what was checked",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/authorize.ts",
    ["unit/vault/request/authorize"],
    [
      {
        find: "nowMs >= expiresAtMs",
        replace: "nowMs > expiresAtMs",
        why: "a token is good at the moment of its end",
      },
      {
        find: "return nowMs >= expiresAtMs ? err(tokenExpired(name, expiresAtMs)) : ok(client)",
        replace:
          "return nowMs >= expiresAtMs && name === '' ? err(tokenExpired(name, 0)) : ok(client)",
        why: "a token that has expired is served",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/client-methods.ts",
    ["unit/vault/operator/client-methods"],
    [
      {
        find: "...client } = validClient(name, set)\n",
        replace: "...client } = namedClient(name, set)\n",
        why: "a client that is revoked is set",
      },
      {
        find: "keys: keys === undefined ? client.keys : usableKeys(keys, set),",
        replace: "keys: keys === undefined ? client.keys : [keys[0]!, ...keys.slice(1)],",
        why: "a client gets a key that never signs again",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/authorize.ts",
    ["unit/vault/request/pick-key"],
    [
      {
        find: "if (network !== set.profile.network) {",
        replace: "if ((network as unknown) === null) {",
        why: "a key signs for another network",
      },
      {
        find: "if (!set.usableKeys.has(key)) {",
        replace: "if ((key as unknown) === null) {",
        why: "a revoked agent signs",
      },
      {
        find: 'signing.type === "B" && role !== "wallet"',
        replace: "false as boolean",
        why: "an agent signs account operations",
      },
      {
        find: 'role === "wallet" && !client.allow_type_b',
        replace: "false as boolean",
        why: "any client uses its wallet key",
      },
      {
        find: "split.signer !== undefined && split.signer !== key.address",
        replace: "false as boolean",
        why: "header and body disagree",
      },
      {
        find: 'if (signing.type === "B") {',
        replace: "if (false as boolean) {",
        why: "an account operation has a target",
      },
      {
        find: "target === key.address || key.targets.includes(target)",
        replace: "true as boolean",
        why: "a key operates any account",
      },
      {
        find: "own.find((candidate) => candidate.name === named)",
        replace: 'own.find((candidate) => candidate.name === named) ?? set.keys.get(named ?? "")',
        why: "a client uses another's key",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/judge-request.ts",
    [
      "unit/vault/request/parse-request",
      "unit/vault/operator/limit-methods",
      "threats/foreign-agent-approved",
    ],
    [
      {
        find: "nowMs >= key.expires_at - set.config.stopBeforeMs",
        replace: "nowMs > key.expires_at - set.config.stopBeforeMs",
        why: "an agent signs a moment longer",
      },
      {
        find: 'lane === "open" && isEnding(',
        replace: "isEnding(",
        why: "an agent that ends can't cancel",
      },
      {
        find: "nowMs < until)",
        replace: "nowMs <= until)",
        why: "a raise lasts a moment longer",
      },
      {
        find: "[...set.usableKeys.values()].filter(",
        replace: "[...set.keys.values()].filter(",
        why: "a revoked agent counts as held",
      },
      {
        find: "&& key.wallet === signer.name",
        replace: "",
        why: "another wallet's agent counts as held",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/sign-request.ts",
    ["unit/vault/request/worst-case-text", "unit/vault/holds"],
    [
      {
        find: 'if (decision.kind === "refuse") return err(decision.refusal)',
        replace: 'if (decision.kind === "refuse") throw new Error("slip")',
        why: "a refusal isn't one",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/sign-request.ts",
    ["properties/ledger", "unit/vault/spent-limit", ...heldTests],
    [
      {
        find: "    claims: decision.claims,\n",
        replace: "    claims: [],\n",
        why: "nothing is counted",
      },
      {
        find: "    release: given.use,\n",
        replace: "    release: undefined,\n",
        why: "a release is never used up",
      },
      {
        find: 'if (given.kind === "missing") {',
        replace: 'if (given.kind === "missing" && (false as boolean)) {',
        why: "a hold holds nothing",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/sign-request.ts",
    ["unit/vault/request/sign-batch"],
    [
      {
        find: "isDeepStrictEqual(own, key) ?",
        replace: "(true as boolean) ?",
        why: "a key counts as unused that nobody looked up",
      },
    ],
  ),
  ...guardsOf("vault/request/judge-request.ts", heldTests, [
    {
      find: 'if (decision.kind === "allow") return',
      replace: "if (true as boolean) return",
      why: "no hold needs a release",
    },
    {
      find: "if (hold !== undefined) return",
      replace: "if (hold === undefined) return",
      why: "what isn't released is free",
    },
    {
      find: "expires_at: turn.nowMs + hold.ttlMs,",
      replace: "expires_at: turn.nowMs + 2 * hold.ttlMs,",
      why: "a hold lasts longer than its ttl",
    },
  ]),
  ...guardsOf(
    "vault/active/price-drift.ts",
    [
      "properties/price-drift",
      "threats/price-walked-by-a-feed",
      "unit/vault/operator/price-methods",
    ],
    [
      {
        find: "if (isWaiting || isBeyond",
        replace: "if (isBeyond",
        why: "a feed walks out of unconfirmed by itself",
      },
      {
        find: "if (isWaiting || isBeyond(value, drift.anchor.value, bounds.maxDrift)) {",
        replace: "if (isWaiting) {",
        why: "a feed walks past its anchor",
      },
      {
        find: "if (move > allowance)",
        replace: "if (false as boolean)",
        why: "a price may fall at once",
      },
      {
        find: "lesser(allowance - move, stepOf(bounds.maxStep))",
        replace: "stepOf(bounds.maxStep)",
        why: "small steps have no end",
      },
      {
        find: "compareDecimals(value, multiplyDecimals(anchor, factor)) > 0",
        replace: "compareDecimals(value, multiplyDecimals(anchor, factor)) >= 0",
        why: "the largest drift up is too large",
      },
      {
        find: "if (last === undefined || drift === undefined) return waiting",
        replace:
          "if (last === undefined || drift === undefined) return { ...waiting, confirmed: true }",
        why: "the first fed price is right",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/order-size.ts",
    ["unit/vault/request/worst-case-text"],
    [
      {
        find: "others.length + 1 < parts.length",
        replace: "false as boolean",
        why: "the worst case hides what can't be sized",
      },
    ],
  ),
  ...guardsOf(
    "vault/active/active-set.ts",
    ["unit/vault/active/reference-prices", "unit/vault/operator/price-methods"],
    [
      {
        find: "if (set.prices.get(symbolId)?.confirmed === false) return undefined",
        replace: "",
        why: "an unconfirmed price is used",
      },
      {
        find: "Math.abs(nowMs - asOfMs) <= maxAgeMs",
        replace: "Math.abs(nowMs - asOfMs) < maxAgeMs",
        why: "a price at its age is stale",
      },
      {
        find: "Math.abs(nowMs - asOfMs) <= maxAgeMs",
        replace: "nowMs - asOfMs <= maxAgeMs",
        why: "a price from the future is fresh",
      },
      {
        find: "b.asOfMs - a.asOfMs)",
        replace: "a.asOfMs - b.asOfMs)",
        why: "the oldest price is used",
      },
    ],
  ),
]
