/**
 * Limits of `drydock hub`. `waiting`: connections without a complete request. `headersMs`,
 * `requestMs`: time for a client's headers and its whole request; `handshakeMs`: for TLS.
 * `signInBytes`: size of a sign-in request. `failures`: most of one address within `failuresMs`;
 * `addresses`: most that are remembered. `lookMs`: delay until an open stream notices a revoked
 * token. `usedMs`: precision of a token's last use. `audited`: lines about refusals within
 * `auditedMs`. `queries`: record queries in one request. `git`: git programs at once, and those of
 * one token; a silent client is dropped after `idleMs`; bytes of a fetch request and of a push;
 * `requestMs`: longest run of git; `reachMs`: how long a worker retries to reach its hub.
 * `answerMs`: longest wait of a worker for its hub's answer; `lookAtHubMs`: interval at which a
 * worker asks for permission to continue. With an OpenID provider: `flowMs` for a sign-in there,
 * `answerBytes` of the browser's return, `providerMs` for each of the provider's answers,
 * `metadataMs` until its metadata is read again, `skewSec` of clock skew. `healthMs`, `metricsMs`:
 * time for which results are cached; `healthAnswerMs`: a store that takes longer counts as gone.
 */
export const hubLimits = {
  port: 4_517,
  connections: 1_024,
  waiting: 256,
  streams: 512,
  streamsEach: 16,
  headersMs: 10_000,
  requestMs: 30_000,
  handshakeMs: 10_000,
  signInBytes: 4_096,
  failures: 10,
  failuresMs: 60_000,
  addresses: 10_000,
  lookMs: 1_000,
  usedMs: 60_000,
  audited: 120,
  auditedMs: 60_000,
  tokenDays: 3_650,
  answerMs: 10_000,
  lookAtHubMs: 5_000,
  queries: 100,
  git: {
    children: 24,
    childrenEach: 12,
    idleMs: 60_000,
    fetchBytes: 32 * 1024 ** 2,
    pushBytes: 4 * 1024 ** 3,
    requestMs: 1_800_000,
    reachMs: 60_000,
  },
  flowMs: 600_000,
  answerBytes: 8_192,
  providerMs: 10_000,
  metadataMs: 3_600_000,
  skewSec: 30,
  healthMs: 1_000,
  healthAnswerMs: 2_000,
  metricsMs: 5_000,
} as const
