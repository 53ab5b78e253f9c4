import { err, ok, type Result } from "../../std/result.ts"
import { parseYaml, type Place, type Problem, type YamlPath } from "../../std/yaml-file.ts"
import {
  builtinEndpoints,
  isBatch,
  undisclosedItems,
  undisclosedStruct,
  undisclosedTag,
  buildProfile,
  builtinParts,
} from "../builtin-profile.ts"
import { parsePayload } from "../payload/parse-payload.ts"
import { checkAgentWithTarget } from "../payload/struct-body.ts"
import type {
  Disclosed,
  Endpoint,
  Profile,
  Signing,
  SymbolEntry,
  OperationId,
  PayloadShape,
  PricePoll,
} from "../profile.ts"
import { patternsMeet, readGroups, type ReadPaths } from "../read-paths.ts"
import { accountPollOf, accountReads } from "./account-poll.ts"
import { checkEndpoints, checkExtraFields, type PlacedProblem } from "./check-endpoints.ts"
import { checkGroups, checkPollWeight, type PlacedRead, weightOf } from "./poll-weights.ts"
import { profileSchema, type ProfileFile, type EndpointSettings } from "./profile-schema.ts"

/** Parses venue.yaml and adds it to the built-in profile. Returns all problems at once. */
export function parseProfile(text: string, file: string): Result<Profile, readonly Problem[]> {
  const read = parseYaml(text, file, profileSchema)
  if (!read.ok) return read
  const { value, placeOf } = read.value
  const broken = checkProfile(value, placeOf)
  const profile = broken.length === 0 ? profileOf(value) : undefined
  const problems = profile === undefined ? broken : checkPanic(profile)
  if (profile !== undefined && problems.length === 0) return ok(profile)
  return err(
    problems
      .map(({ path, message }) => ({ file, ...placeOf(path), message }))
      .sort((a, b) => a.line - b.line || a.column - b.column),
  )
}

function checkProfile(
  value: ProfileFile,
  placeOf: (path: YamlPath) => Place,
): readonly PlacedProblem[] {
  const agent = value.agent_message_with_target
  const agentProblems = agent === undefined ? [] : checkAgentWithTarget(agent)
  return [
    ...checkEndpoints(value.endpoints, placeOf),
    ...agentProblems.map((message) => ({ path: ["agent_message_with_target"], message })),
    ...checkSymbols(value.symbols, placeOf),
    ...checkExtraFields(value),
    ...checkServiceChain(value),
    ...checkReads(value.reads, placeOf),
    ...checkPolls(value),
  ]
}

/** Where both networks use one chain id, only `service_chain` keeps a Type B signature off the main network. */
function checkServiceChain({ domain, type_b }: ProfileFile): readonly PlacedProblem[] {
  const { chainId } = builtinParts.domain
  const { serviceChain } = builtinParts.typeB
  if (domain.chain_id === chainId || type_b.service_chain !== serviceChain) return []
  const message = `${serviceChain} is the main network's service_chain, and domain.chain_id isn't ${chainId}; give this network's own`
  return [{ path: ["type_b", "service_chain"], message }]
}

function checkSymbols(
  symbols: ProfileFile["symbols"],
  placeOf: (path: YamlPath) => Place,
): readonly PlacedProblem[] {
  return symbols.flatMap((symbol, index) =>
    (["id", "name"] as const).flatMap((key) => {
      const first = symbols.findIndex((other) => other[key] === symbol[key])
      if (first === index) return []
      const { line } = placeOf(["symbols", first, key])
      const message = `two symbols have the ${key} ${symbol[key]}; the other is in line ${line}`
      return [{ path: ["symbols", index, key], message }]
    }),
  )
}

/** The panic lines whose body breaks the interface's rules. */
function checkPanic(profile: Profile): readonly PlacedProblem[] {
  return profile.panic.flatMap(({ operation, body }, index) => {
    const endpoint = profile.endpoints.get(operation)
    const payload = endpoint && parsePayload(endpoint, body, profile)
    if (payload === undefined || payload.ok) return []
    const [first] = payload.error
    const what =
      first === undefined ? "it is wrong" : `${first.path || "the body"}: ${first.message}`
    const message = `${operation} can't have this body: ${what}`
    return [{ path: ["panic", index, "body"], message }]
  })
}

function profileOf(value: ProfileFile): Profile {
  const agent = value.agent_message_with_target
  return buildProfile({
    baseUrl: value.base_url,
    domain: { ...builtinParts.domain, chainId: value.domain.chain_id },
    typeB: {
      serviceChain: value.type_b.service_chain ?? builtinParts.typeB.serviceChain,
      signatureChainIds: value.type_b.signature_chain_ids ?? builtinParts.typeB.signatureChainIds,
    },
    canonicalForm: value.canonical_json,
    endpoints: builtinEndpoints.map((endpoint) => endpointOf(endpoint, value)),
    agentStructWithTarget:
      agent === undefined ? builtinParts.agentStructWithTarget : { known: true, value: agent },
    symbols: value.symbols.map(symbolOf),
    tpslLegs: value.tpsl_legs,
    feeRate: value.fee_rate,
    defaultMarketOrderType: value.defaults.market_order_type,
    panic: value.panic,
    duplicateNonceCode: value.codes.duplicate_nonce,
    notProcessedCodes: value.codes.not_processed,
    reads: value.reads,
    pricePoll: pricePollOf(value),
    accountPoll: accountPollOf(value),
  })
}

/** Applies venue.yaml's settings of an endpoint. They were checked before. */
function endpointOf(builtin: Endpoint, value: ProfileFile): Endpoint {
  const settings = value.endpoints[builtin.id] ?? {}
  return {
    ...builtin,
    signing: onThisNetwork(signingOf(builtin, settings), value),
    shape: shapeOf(builtin, settings),
    extraFields: value.extra_fields[builtin.id] ?? [],
    fields: settings.fields,
    appliesFlags: settings.applies_flags === "true",
  }
}

function signingOf(endpoint: Endpoint, settings: EndpointSettings): Disclosed<Signing> {
  const { action_tag: tag, struct, signing } = settings
  if (endpoint.signing.known) return endpoint.signing
  if (tag !== undefined) return typeA(endpoint.id, tag, settings)
  if (struct !== undefined) return { known: true, value: { type: "B", struct } }
  if (signing === "A") return undisclosedTag(endpoint.id, endpoint.area)
  if (signing === "B") return undisclosedStruct(endpoint.id, "struct_undisclosed")
  return endpoint.signing
}

/** A batch that makes orders is signed only if they can be counted; a cancel needs no count. */
function typeA(id: OperationId, tag: number, { items }: EndpointSettings): Disclosed<Signing> {
  const isUncounted = isBatch(id) && id !== "cancelBatch" && items === undefined
  return isUncounted ? undisclosedItems(id, tag) : { known: true, value: { type: "A", tag } }
}

/**
 * Another network never gets the main network's values by default: a Type B signature made with them
 * would be valid on the main network.
 */
function onThisNetwork(signing: Disclosed<Signing>, value: ProfileFile): Disclosed<Signing> {
  const isMain = value.domain.chain_id === builtinParts.domain.chainId
  const { service_chain, signature_chain_ids } = value.type_b
  const isGiven = service_chain !== undefined && signature_chain_ids !== undefined
  if (isMain || isGiven || !signing.known || signing.value.type === "A") return signing
  return {
    known: false,
    code: "signing_type_undisclosed",
    addLine: 'type_b: {service_chain: "…", signature_chain_ids: [<chain id>]}',
  }
}

function shapeOf(endpoint: Endpoint, settings: EndpointSettings): PayloadShape {
  const { struct, like, items, item_like, order_id: orderId } = settings
  if (endpoint.shape.kind !== "opaque") return endpoint.shape
  if (struct !== undefined) return { kind: "struct" }
  if (like !== undefined && orderId !== undefined) return { kind: "order_with_id", orderId }
  if (items === undefined) return endpoint.shape
  return item_like === undefined
    ? { kind: "item_list", items }
    : { kind: "order_list", items, orderId }
}

function symbolOf(symbol: ProfileFile["symbols"][number]): SymbolEntry {
  const { id, name, market, quote, reference_price: price } = symbol
  const referencePrice =
    price === undefined
      ? undefined
      : { value: price.value, asOfMs: price.as_of, maxAgeMs: price.max_age }
  return { id, name, market, quote, referencePrice }
}

/** Checks that no path is in two groups: its weight would be a guess. */
function checkReads(
  reads: ReadPaths,
  placeOf: (path: YamlPath) => Place,
): readonly PlacedProblem[] {
  const all = readGroups.flatMap((group) =>
    reads[group].map((pattern, index) => ({ group, pattern, path: ["reads", group, index] })),
  )
  return all.flatMap(({ group, pattern, path }, at) => {
    const earlier = all.slice(0, at).filter((each) => each.group !== group)
    const other = earlier.find((each) => patternsMeet(each.pattern, pattern))
    if (other === undefined) return []
    const { line } = placeOf(other.path)
    const message = `a path can be both in ${group} by this and in ${other.group} by ${other.pattern} (line ${line}); tell them apart`
    return [{ path, message }]
  })
}

/** What venue.yaml polls; `undefined` for nothing. */
function pricePollOf(file: ProfileFile): PricePoll | undefined {
  if (file.price_poll === undefined) return undefined
  const { every: everyMs, list, symbol, value } = file.price_poll
  const all = priceReads(file)
  const paths = all.map(({ path }) => path)
  return { paths, weight: weightOf(all, file.reads), everyMs, list, symbol, value }
}

/** What a round of prices asks for: where the path has `{id}`, the id of each symbol takes that place. */
function priceReads({ price_poll: poll, symbols }: ProfileFile): readonly PlacedRead[] {
  const paths = symbols.flatMap(({ id }) => poll?.path.replaceAll("{id}", `${id}`) ?? [])
  return [...new Set(paths)].map((path) => ({ path, at: ["price_poll", "path"] }))
}

/** Checks that what is polled has a known weight, and leaves room for orders. */
function checkPolls(file: ProfileFile): readonly PlacedProblem[] {
  const unknown = checkGroups([...priceReads(file), ...accountReads(file)], file.reads)
  if (unknown.length > 0) return unknown
  return checkPollWeight({ pricePoll: pricePollOf(file), accountPoll: accountPollOf(file) })
}
