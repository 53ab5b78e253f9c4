import { guardsOf, type Guard } from "../mutation/guard.ts"

const simulation = ["simulation/simulation"]
const slipsIn = (file: string, slips: Parameters<typeof guardsOf>[2]): readonly Guard[] =>
  guardsOf(file, simulation, slips)

/** Flaws that the simulation must find by itself, in what it runs of the daemon and in its own engine of the ledger. */
export const slips: readonly Guard[] = [
  ...slipsIn("vault/ledger/decide.ts", [
    {
      find: "  await Promise.all(taken.durable)\n",
      replace: "",
      why: "simulated: a signature is given out before its record is durable",
    },
    {
      find: "  taken.keyUses.set(nameOf({ client, ...idempotency }), use)\n",
      replace: "  void use\n",
      why: "simulated: two of a batch with one key don't see each other",
    },
    {
      find: "keys.length === 0 ? work() : keyTurns.run(keys, work)",
      replace: "work()",
      why: "simulated: the turn of a key isn't waited for",
    },
    {
      find: "  waitFor(taken, from.marks.cover(ask.signer, nonce))\n",
      replace: "  void from.marks.cover(ask.signer, nonce)\n",
      why: "simulated: a nonce is given out before the signer's mark covers it",
    },
    {
      find: "      await Promise.all(ends)\n",
      replace: "",
      why: "simulated: a freeze is answered before what was reserved before it",
    },
  ]),
  ...slipsIn("vault/policy/claims-of.ts", [
    {
      find: 'if (lane === "cancel") return []\n',
      replace: 'if (lane !== "open") return []\n',
      why: "simulated: a reduce-only order is signed twice",
    },
    {
      find: "[client, key.name, operation, accountOf(subject.request),",
      replace: "[client, operation,",
      why: "simulated: one key's order is refused as another's repeat",
    },
  ]),
  ...slipsIn("vault/ledger/open-ledger.ts", [
    {
      find: "      state.acted(row)\n      return { id: row.id, done: Promise.all([underWay.ended(), store.append(row)]) }\n",
      replace:
        "      return { id: row.id, done: Promise.all([underWay.ended(), store.append(row).then(() => state.acted(row))]) }\n",
      why: "simulated: a freeze is in force only once it is durable",
    },
    {
      find: "done: Promise.all([underWay.ended(), store.append(row)])",
      replace: "done: Promise.all([underWay.ended(), void store.append(row)])",
      why: "simulated: an act is answered before it is durable",
    },
    {
      find: "nonces.raise(signer, await marks.claim(signer))",
      replace: "void (await marks.claim(signer))",
      why: "simulated: a start forgets how far a signer's mark is ahead",
    },
    {
      find: "    state.holds.assertPending(id, nowMs)\n",
      replace: "",
      why: "simulated: a hold is decided twice",
    },
  ]),
  ...slipsIn("vault/ledger/state.ts", [
    {
      find: "    if (row.release !== undefined) holds.use(row.release)\n",
      replace: "",
      why: "simulated: a release is used twice",
    },
    {
      find: "    nonces.used(row)\n",
      replace: "",
      why: "simulated: a nonce is taken and not used up",
    },
    {
      find: "      limits.count(claims, row)\n",
      replace: '      if (row.purpose === "return") limits.count(claims, row)\n',
      why: "simulated: what is forwarded isn't counted",
    },
  ]),
  ...slipsIn("vault/ledger/signers/nonces.ts", [
    {
      find: "  for (const [signer, nonce] of lastNonces) raise(signer, nonce)\n",
      replace: "",
      why: "simulated: a start forgets the nonces of the ledger",
    },
    {
      find: "Math.max(nowMs, earlier + 1)",
      replace: "Math.max(nowMs, earlier)",
      why: "simulated: two requests of a millisecond have one nonce",
    },
  ]),
  ...slipsIn("vault/ledger/hold-book.ts", [
    {
      find: "return { client, key, operation, target, body }",
      replace: "return { client, key, operation, target, body: body.slice(0, 1) }",
      why: "simulated: a hold is taken for another request's",
    },
  ]),
  ...slipsIn("vault/ledger/found-records.ts", [
    {
      find: "Math.max(countedAt(row) + keptMs, row.expires_after)",
      replace: "row.expires_after",
      why: "simulated: a key is forgotten when its request has expired",
    },
  ]),
  ...slipsIn("vault/ledger/meters/limits.ts", [
    {
      find: "ever.map(({ meter, used }) => [meter, used])",
      replace: "[]",
      why: "simulated: a start forgets what counts for ever",
    },
    {
      find: "      followNow(state, event)\n",
      replace: "",
      why: "simulated: a refusal gives no room back before a restart",
    },
    {
      find: "      if (meanwhileThen !== state.meanwhile) return\n",
      replace: "",
      why: "simulated: room is given back twice where limits are counted anew meanwhile",
    },
    {
      find: "    for (const event of meanwhile) followBy(recount.build, counted.meters, event)\n",
      replace: "",
      why: "simulated: what is signed while limits are counted anew isn't counted",
    },
    {
      find: "unheard: [...expected]",
      replace: "unheard: []",
      why: "simulated: a start forgets room that a snapshot expected back",
    },
    {
      find: "meters.keepEndless(endlessOf(state).image())",
      replace: "meters.keepEndless(state.ever.image())",
      why: "simulated: a reload forgets what counted for ever since the start",
    },
    {
      find: "  state.meters = meters\n",
      replace: "  state.meters ??= meters\n",
      why: "simulated: meters aren't exchanged together with the set",
    },
  ]),
  ...slipsIn("vault/ledger/meters/history.ts", [
    {
      find: "const requests = pages(seq, {",
      replace: "const requests = pages(seq + 1, {",
      why: "simulated: the first request after a snapshot isn't counted",
    },
  ]),
  ...slipsIn("vault/ledger/meters/meters.ts", [
    {
      find: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) <= 0",
      replace: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) < 0",
      why: "simulated: the last of a limit is refused",
    },
    {
      find: "fits: compareDecimals(addDecimals(used, ask.asked), claim.max) <= 0",
      replace: "fits: compareDecimals(used, claim.max) < 0",
      why: "simulated: the last request passes a limit",
    },
  ]),
  ...slipsIn("vault/request/repeat-request.ts", [
    {
      find: "  if (!isBoundTo(ask, earlier)) return conflict(earlier)\n",
      replace: "",
      why: "simulated: another body is signed under a key that is taken",
    },
    {
      find: "refuseOver(earlier, ask) ?? refuseJudged(earlier, ask)",
      replace: "refuseOver(earlier, ask)",
      why: "simulated: a repeat isn't judged anew",
    },
  ]),
  ...slipsIn("vault/request/sign-request.ts", [
    {
      find: "  const keys = key === undefined ? [] : [key]\n  const decided = await vault.ledger.decide(keys, (turn) => {\n    const set = vault.active()\n",
      replace:
        "  const keys = key === undefined ? [] : [key]\n  const set = vault.active()\n  const decided = await vault.ledger.decide(keys, (turn) => {\n",
      why: "simulated: a freeze is read before the turn",
    },
    {
      find: '  if (use.kind === "kept") return repeat(use.request, asked, vault)\n',
      replace: "",
      why: "simulated: a claim on a key is forgotten at its repeat",
    },
  ]),
  ...slipsIn("vault/operator/files-in-force.ts", [
    {
      find: "    const next = boundSet(files, inForce.active())\n",
      replace: "    const next = inForce.active()\n",
      why: "simulated: a reload counts by the limits of the files before it",
    },
  ]),
  ...slipsIn("vault/operator/client-methods.ts", [
    {
      find: '  await acts.act({ act: "client_revoked", name })\n',
      replace:
        '  if (namedClient(name, acts.active()).tokenHash !== null) await acts.act({ act: "client_revoked", name })\n',
      why: "simulated: a second revocation is answered before the first is durable",
    },
  ]),
  ...slipsIn("vault/operator/files-in-force.ts", [
    {
      find: "    await countAnew(current, ledger, () => {\n",
      replace: "    inForce.exchange(files)\n    await countAnew(current, ledger, () => {\n",
      why: "simulated: files are in force before their meters",
    },
  ]),
  ...slipsIn("../test/simulation/store/disk.ts", [
    {
      find: "  if (end === undefined || entries.length < lines.length - 1) return undefined\n",
      replace: "  if (end === undefined) return { entries, clock: undefined, steps: [] }\n",
      why: "simulated: a torn write is believed",
    },
  ]),
]
