/** Every bound of the gate. Tests pass smaller ones; a running gate has no way to widen them. */
export type GateLimits = typeof gateLimits

export const gateLimits = {
  /** A batch of 100 orders is some 40 KiB. */
  maxBodyBytes: 65_536,
  /** All header lines together. Node's own parser enforces it. */
  maxHeaderBytes: 16_384,
  /** Header lines. A browser sends some 20. */
  maxHeaders: 100,
  /** Each costs a file descriptor, and 4,096 are common. */
  maxConnections: 1_024,
  /** Requests that are open on one connection. More are cut off with it: Node's parser can't be paused. */
  maxPipelined: 8,
  /** Requests at work, but for those that reduce risk. Of this and the following an owner gets its part, see http/shares.ts. */
  maxInFlight: 1_024,
  /** Requests at work that reduce risk. */
  maxReducing: 128,
  /** Calls at the vault at a time, large ones for several. Enough for a commit to carry many, and little to wait behind. */
  maxTurns: 64,
  /** Further calls there that reduce risk. */
  maxReducingTurns: 16,
  /** Batches at the vault, each up to 100 requests: all of them are far below the link's deadline. */
  maxBatches: 8,
  /** Requests that are signed and sent, but for those that reduce risk. */
  maxForwards: 256,
  /** Reads at the venue. */
  maxReads: 128,
  /** Lists that are streamed whole: each lasts as long as its bot likes. */
  maxStreams: 16,
  /** How long a stream waits for the IP budget before a page, in all: twice the time in which a spent one is free again. */
  maxRoomWaitMs: 121_000,
  /** From connecting to the end of the headers. */
  headersTimeoutMs: 10_000,
  /** From connecting to the end of the body. */
  requestTimeoutMs: 15_000,
  /** How often Node looks for connections over the two above. Its default of 30 s would make them half a minute. */
  connectionCheckMs: 1_000,
  /** Longer than most bots pause, so that they rarely send on a connection that is being closed. */
  keepAliveMs: 75_000,
  /** Silence on a connection in the middle of a request or an answer. Above the vault's and the venue's deadlines together. */
  silenceMs: 60_000,
  /** How long stopping waits for requests at work. */
  stopMs: 10_000,

  /** TCP and TLS together, and the name's lookup. */
  upstreamConnectMs: 5_000,
  /** From the request's turn to the last byte of the answer. As long as a trade's signature is good. */
  upstreamTotalMs: 15_000,
  /** Also of what it is decompressed to. */
  maxUpstreamAnswerBytes: 1_048_576,
  /** How deep arrays and objects of an answer may nest: readers of JSON in several languages stop at 64, or break above it. */
  maxUpstreamAnswerDepth: 64,
  /** Each carries one request at a time. As many as there may be forwards, reads, streams and cancels, so that none waits for one. */
  maxUpstreamConnections: 528,
  /** Short: a request written to a connection that the venue is closing has an unknown outcome. */
  upstreamKeepAliveMs: 4_000,
}
